import { isUrl } from '../config/settings.js';
import { Context, type Services } from '../context/context.js';
import type { GlobalOptions } from '../context/flags.js';
import { toType, usageError } from '../errors/cli-error.js';
import { flagsOf } from '../fields/flags-of.js';
import type { Io } from '../io/io.js';
import { BrokenPipe } from '../output/printer.js';
import { sanitizeLine } from '../text/values.js';
import type { Parsed } from './parser.js';

/** The global flags; `--json` becomes `--format json`. */
export function globalOptions(values: GlobalOptions): GlobalOptions {
  const { json, jq } = values;
  const format = json === true ? 'json' : values.format;
  if (json === true && values.format !== undefined && values.format !== 'json') {
    throw usageError(`--json and --format ${values.format} cannot be used together.`);
  }
  if (jq !== undefined && (format === 'ndjson' || format === 'yaml'))
    throw usageError(`--jq does not write ${format}.`, `Remove --format ${format}, or use table, csv or tsv`);
  return { ...values, ...(format !== undefined && { format }) };
}

/** Rejects flags for the output that the command would ignore. */
function checkOutput({ command: { output }, path }: Parsed, options: GlobalOptions): void {
  if (output === undefined || output === 'nothing') return;
  const { format, fields, jq, delimiter } = options;
  const ignored = Object.entries({ fields, jq, delimiter })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => `--${name}`);
  if (format !== undefined && format !== 'table' && !output.includes(format))
    ignored.push(format === 'json' ? '--json' : `--format ${format}`);
  if (ignored.length === 0) return;
  const prints = output.length === 0 ? 'only text' : `only ${output.map((each) => each.toUpperCase()).join(' or ')}`;
  throw usageError(
    `mkt ${path} prints ${prints}, so ${ignored.join(' and ')} cannot be used.`,
    toType(`mkt ${path} --help`),
  );
}

const FIELD_LIST = /^[a-z]\w*(\.\w+)*(,[a-z]\w*(\.\w+)*)*$/;

/**
 * Users of gh write `--json id,name` for `--json --fields id,name`. The word after --json is a list of fields if it has
 * commas, or if the command takes no further argument.
 */
function withJsonFields(parsed: Parsed, argv: readonly string[]): Parsed {
  const { args, command, global } = parsed;
  const { args: known = [], passThrough } = command;
  const word = argv.includes('--json') && passThrough !== true ? argv[argv.indexOf('--json') + 1] : undefined;
  const index = word === undefined ? -1 : args.lastIndexOf(word);
  if (word === undefined || index < 0 || !FIELD_LIST.test(word)) return parsed;
  const isExtra = known.at(-1)?.variadic !== true && args.length > known.length;
  if (!isExtra && !word.includes(',')) return parsed;
  const fields = [...(global.fields ?? []), ...word.split(',')];
  return { ...parsed, args: args.toSpliced(index, 1), global: { ...global, fields } };
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
      toType(`mkt ${path} --help`),
    );
  }
  // An empty word is a variable that was not set: `mkt campaigns delete "$ID"`.
  const index = args.findIndex((text) => text.trim() === '');
  if (index < 0) return;
  const argument = known[index] ?? known.at(-1);
  throw usageError(`<${argument?.name ?? 'argument'}> is empty.`, toType(`mkt ${path} --help`));
}

/** @throws a usage error for countries and currencies that do not exist, in filters and fields */
async function checkCodes({ command, flags: values }: Parsed): Promise<void> {
  const given = Object.keys(values);
  if (given.length === 0 || command.passThrough === true) return;
  for (const { name, codes } of await flagsOf(command)) {
    const value = values[name];
    if (codes === undefined || value === undefined) continue;
    const { codeMessage, codeProblem } = await import('../fields/codes.js');
    for (const code of [value].flat()) {
      const problem = typeof code === 'string' ? codeProblem(codes, code) : undefined;
      if (problem === undefined) continue;
      const excluded = String(code).replace(/^!/, '');
      const canExclude = excluded !== code && command.flags?.some((flag) => flag.name === `not-${name}`);
      throw usageError(
        (flag) => `${flag(name)} ${codeMessage(problem)}`,
        ...(canExclude ? [toType(`--not-${name} ${excluded}`)] : []),
      );
    }
  }
}

const hasUrls = ({ args, flags, global, command }: Parsed, { env }: Io): boolean =>
  [
    global.org ?? env.MKT_ORG,
    flags['to-org'],
    ...(command.args?.some(({ name }) => /^id\b/.test(name)) ? args : []),
  ].some((word) => typeof word === 'string' && word.split(',').some((part) => isUrl(part.trim())));

/** Runs the handler of a command line: `argv` as the user typed it, and what it means. */
export async function execute(argv: readonly string[], given: Parsed, io: Io, run: Services['run']): Promise<void> {
  const typed = withJsonFields(given, argv);
  const parsed = hasUrls(typed, io) ? (await import('./url-arguments.js')).withUrlIds(typed, io) : typed;
  const { command, path } = parsed;
  checkArguments(parsed);
  await checkCodes(parsed);
  const context = new Context(io, globalOptions(parsed.global), {
    client: async (given) => (await import('../api/http/client.js')).makeClient(given),
    organization: async (given) => (await import('../api/organization.js')).resolveOrganization(given),
    run,
    newProfile: command.newProfile === true,
    argv,
    invocation: parsed,
  });
  const { options } = context;
  const { jq } = options;
  checkOutput(parsed, options);
  if (jq !== undefined) await (await import('../output/jq.js')).checkJq(jq);
  try {
    const confirms = command.output === 'nothing' && context.asksForData;
    if (confirms) await context.print.checkKnown({ columns: [], fields: ['ok'] });
    await command.run(context, parsed);
    if (confirms) await context.printValue('ok', true);
  } catch (error) {
    if (error instanceof BrokenPipe) return;
    const { explain } = await import('../api/errors/explain.js');
    throw await explain(error, { action: 'run', id: path }, context);
  } finally {
    await context.journal.save();
  }
}
