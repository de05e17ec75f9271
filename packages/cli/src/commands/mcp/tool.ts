import type { CallToolResult, InputRequiredResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import type { Context } from '../../context/context.js';
import { argumentProblems, argumentsOf, type JsonSchema, published } from './arguments.js';
import { failure, failureOf, type Row } from './result.js';

/** Revisions of the protocol in which results have no data but text. */
const TEXT_ONLY = ['2024-10-07', '2024-11-05', '2025-03-26'];

interface Tool<Args> {
  readonly title: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** Arguments whose content the tool checks itself. */
  readonly unchecked?: readonly string[];
  /** Properties of the result, without `data`. */
  readonly output?: Readonly<Record<string, JsonSchema>>;
  /** Type of `data`. */
  readonly data?: string;
  /** Whether it changes something. By default it only reads. */
  readonly writes?: boolean;
  readonly run: (args: Args, request: ServerContext) => Promise<CallToolResult | InputRequiredResult>;
}

/** Registers a tool that checks its arguments, and returns the errors of its commands. */
export function registerTool<Args>(
  server: McpServer,
  name: string,
  {
    title,
    description,
    properties,
    required,
    unchecked = [],
    output = {},
    data = 'array',
    writes = false,
    run,
  }: Tool<Args>,
): void {
  const schema = argumentsOf(properties, required);
  const shallow = Object.entries(properties).map(([key, { type, ...rest }]): [string, JsonSchema] => [
    key,
    unchecked.includes(key)
      ? { ...(type !== undefined && { type }) }
      : { ...rest, ...(type !== undefined && { type }) },
  ]);
  const checked = argumentsOf(Object.fromEntries(shallow), required);
  const annotations = writes
    ? { readOnlyHint: false, destructiveHint: true, idempotentHint: false }
    : { readOnlyHint: true };
  const outputSchema = published({ type: 'object', properties: { ...output, data: { type: data } } });
  const config = { title, description, inputSchema: published(schema), outputSchema, annotations };
  server.registerTool(name, config, async (given, request): Promise<CallToolResult | InputRequiredResult> => {
    const problems = argumentProblems(checked, given);
    const [first, second] = problems;
    if (first !== undefined) {
      const message = second === undefined ? String(first.message) : `${problems.length} arguments are wrong.`;
      return withText(server, failure({ message, ...(second !== undefined && { problems }) }));
    }
    const result = await run(given as Args, request).catch(failureOf);
    return 'content' in result ? withText(server, result as CallToolResult) : result;
  });
}

/** For clients that know no data, the text is the whole result. */
function withText({ server }: McpServer, result: CallToolResult): CallToolResult {
  if (!TEXT_ONLY.includes(server.getNegotiatedProtocolVersion() ?? '')) return result;
  return { ...result, content: [{ type: 'text', text: JSON.stringify(result.structuredContent) }] };
}

/** Flags as `--name=value`, so that no value can be read as another flag. */
export const flagsFrom = (values: Row): string[] =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]));

/** The organization of a call, else that of `mkt mcp`. */
export const organizationFlag = (context: Context, organization: string | number | undefined): Row => ({
  org: organization ?? context.options.org,
});
