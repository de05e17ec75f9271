import type { FlagValues } from '../context/command.js';
import { Context, type GlobalOptions, type Makers } from '../context/context.js';
import type { globalFlags } from '../context/global-flags.js';
import { usageError } from '../errors/cli-error.js';
import type { Io } from '../io/io.js';
import { BrokenPipe } from '../output/printer.js';
import { sanitizeLine } from '../text/sanitize.js';
import type { Parsed } from './parser.js';

/** The flags of every command as the context takes them. */
export function globalOptions(values: FlagValues<typeof globalFlags>): GlobalOptions {
  const { json, jq } = values;
  const format = json === true ? 'json' : values.format;
  if (json === true && values.format !== undefined && values.format !== 'json') {
    throw usageError(`--json and --format ${values.format} contradict each other.`);
  }
  if (jq !== undefined && format !== undefined && format !== 'json') {
    throw usageError('--jq works on JSON.', `Leave --format ${format} out`);
  }
  return {
    org: values.org,
    profile: values.profile,
    baseUrl: values['base-url'],
    format,
    fields: values.fields,
    jq,
    header: values['no-header'] !== true,
    quiet: values.quiet === true,
    verbose: values.verbose === true,
    debug: values.debug === true,
    color: values['no-color'] !== true,
    input: values['no-input'] !== true,
    yes: values.yes === true,
    timeout: values.timeout,
  };
}

function checkArguments({ args, command: { args: known = [], passThrough }, path }: Parsed): void {
  if (passThrough === true) return;
  const extra = known.at(-1)?.variadic === true ? undefined : args[known.length];
  if (extra !== undefined) {
    const taken = known.length === 0 ? 'no arguments' : known.map(({ name }) => `<${name}>`).join(' and ');
    throw usageError(
      `Unexpected argument "${sanitizeLine(extra)}": mkt ${path} takes ${taken}${known.length === 1 ? ' alone' : ''}.`,
      'A value of several words needs quotes: "like this"',
      `mkt ${path} --help`,
    );
  }
  // An empty word is a variable that was not set: `mkt campaigns delete "$ID"`.
  const index = args.findIndex((text) => text.trim() === '');
  if (index < 0) return;
  const argument = known[index] ?? known.at(-1);
  throw usageError(`<${argument?.name ?? 'argument'}> is empty.`, `mkt ${path} --help`);
}

/** Loaded when a command asks for them. */
const makers = (run: Makers['run']): Makers => ({
  client: async (context) => (await import('../api/http/client.js')).makeClient(context),
  organization: async (context) => (await import('../api/organization.js')).resolveOrganization(context),
  run,
});

/** Runs the handler of a parsed command line. */
export async function execute(parsed: Parsed, io: Io, run: Makers['run']): Promise<void> {
  const { command, global } = parsed;
  checkArguments(parsed);
  const context = new Context(io, { ...globalOptions(global), newProfile: command.newProfile === true }, makers(run));
  if (context.options.jq !== undefined) {
    const { checkJq } = await import('../output/jq.js');
    await checkJq(context.options.jq);
  }
  try {
    await command.run(context, parsed);
  } catch (error) {
    if (error instanceof BrokenPipe) return;
    const { explain } = await import('../api/errors/explain.js');
    throw await explain(error, { verb: 'run', id: parsed.path }, context);
  }
}
