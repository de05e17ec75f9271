import { Context, type Makers } from '../context/context.js';
import type { GlobalOptions } from '../context/flags.js';
import { usageError } from '../errors/cli-error.js';
import type { Io } from '../io/io.js';
import { BrokenPipe } from '../output/printer.js';
import { sanitizeLine } from '../text/sanitize.js';
import type { Parsed } from './parser.js';

/** The global flags; `--json` becomes `--format json`. */
export function globalOptions(values: GlobalOptions): GlobalOptions {
  const { json, jq } = values;
  const format = json === true ? 'json' : values.format;
  if (json === true && values.format !== undefined && values.format !== 'json') {
    throw usageError(`--json and --format ${values.format} cannot be used together.`);
  }
  if (jq !== undefined && format !== undefined && format !== 'json') {
    throw usageError('--jq needs JSON output.', `Remove --format ${format}`);
  }
  return { ...values, ...(format !== undefined && { format }) };
}

function checkArguments({ args, command: { args: known = [], passThrough, rejectArgument }, path }: Parsed): void {
  if (passThrough === true) return;
  const extra = known.at(-1)?.variadic === true ? undefined : args[known.length];
  if (extra !== undefined) {
    if (rejectArgument !== undefined) throw rejectArgument();
    const taken = known.length === 0 ? 'no arguments' : known.map(({ name }) => `<${name}>`).join(' and ');
    throw usageError(
      `Unexpected argument "${sanitizeLine(extra)}": mkt ${path} takes ${known.length === 1 ? 'only ' : ''}${taken}.`,
      'Quote values that contain spaces: "like this"',
      `mkt ${path} --help`,
    );
  }
  // An empty word is a variable that was not set: `mkt campaigns delete "$ID"`.
  const index = args.findIndex((text) => text.trim() === '');
  if (index < 0) return;
  const argument = known[index] ?? known.at(-1);
  throw usageError(`<${argument?.name ?? 'argument'}> is empty.`, `mkt ${path} --help`);
}

/** Runs the handler of a parsed command line. */
export async function execute(parsed: Parsed, io: Io, run: Makers['run']): Promise<void> {
  const { command, path } = parsed;
  checkArguments(parsed);
  const context = new Context(io, globalOptions(parsed.global), {
    client: async (given) => (await import('../api/http/client.js')).makeClient(given),
    organization: async (given) => (await import('../api/organization.js')).resolveOrganization(given),
    run,
    newProfile: command.newProfile === true,
  });
  const { jq } = context.options;
  if (jq !== undefined) await (await import('../output/jq.js')).checkJq(jq);
  try {
    await command.run(context, parsed);
  } catch (error) {
    if (error instanceof BrokenPipe) return;
    const { explain } = await import('../api/errors/explain.js');
    throw await explain(error, { verb: 'run', id: path }, context);
  }
}
