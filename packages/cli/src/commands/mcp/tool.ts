import type { CallToolResult, InputRequiredResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { argumentsOf, type JsonSchema, problemsOf, published } from './arguments.js';
import { failure, failureOf, type Row } from './result.js';
import type { Bound, Session } from './session.js';

/** Where tools are registered, and what they work with. */
export interface Toolbox {
  readonly server: McpServer;
  readonly session: Session;
  /** In front of the names of the tools, so that two servers can be told apart: `acme_`. */
  readonly prefix: string;
}

interface Tool<Args> {
  readonly title: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** Arguments whose content the tool checks itself. */
  readonly unchecked?: readonly string[];
  /** Whether it changes something. By default it only reads. */
  readonly writes?: boolean;
  readonly run: (args: Args, bound: Bound, request: ServerContext) => Promise<CallToolResult | InputRequiredResult>;
}

/** What a tool returns. That of each is in its result: schemas are sent to a model with every question. */
const outputSchema = published({ type: 'object' });

/** Registers a tool that checks its arguments and the session, and returns the errors of its commands. */
export function registerTool<Args>(
  { server, session, prefix }: Toolbox,
  name: string,
  { title, description, properties, required, unchecked = [], writes = false, run }: Tool<Args>,
): void {
  const schema = argumentsOf(properties, required);
  const shallow = Object.entries(properties).map(([key, { type, ...rest }]): [string, JsonSchema] => [
    key,
    { ...(unchecked.includes(key) ? {} : rest), ...(type !== undefined && { type }) },
  ]);
  const checked = argumentsOf(Object.fromEntries(shallow), required);
  const annotations = writes
    ? { readOnlyHint: false, destructiveHint: true, idempotentHint: false }
    : { readOnlyHint: true };
  const config = { title, description, inputSchema: published(schema), outputSchema, annotations };
  server.registerTool(prefix + name, config, async (given, request): Promise<CallToolResult | InputRequiredResult> => {
    const problems = problemsOf(checked, given);
    const [first, second] = problems;
    if (first !== undefined) {
      const message = second === undefined ? String(first.message) : `${problems.length} arguments are wrong.`;
      return failure({ message, ...(second !== undefined && { problems }) });
    }
    try {
      return await run(given as Args, await session.open(), request);
    } catch (error) {
      return failureOf(error);
    }
  });
}

/** Flags as `--name=value`, so that no value can be read as another flag. */
export const flagsFrom = (values: Row): string[] =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]));
