import { CommanderError } from 'commander';
import { version } from '../../package.json';
import { help } from '../commands/help/command.js';
import { type Command, type CommandNode, isGroup } from '../context/command.js';
import { Context, type Makers } from '../context/context.js';
import { usageError } from '../errors/cli-error.js';
import { type ExitCode, exitCodes } from '../errors/exit-codes.js';
import type { Io } from '../io/io.js';
import { ReaderLeft } from '../output/sink.js';
import { flagsOf } from '../shared/fields/flags-of.js';
import { sanitizeLine } from '../text/sanitize.js';
import { buildParser, type Parsed } from './build.js';
import { commands } from './commands.js';
import { globalOptions } from './global-options.js';
import { named } from './help/path.js';
import { writeHelp } from './help/write.js';

/** Loaded when a command asks for them. */
const makers: Makers = {
  client: async (context) => (await import('../api/http/client.js')).makeClient(context),
  organization: async (context) => (await import('../api/organization.js')).resolveOrganization(context),
  run: runCommand,
};

const leavesOf = (all: readonly CommandNode[]): Command[] =>
  all.flatMap((each) => (isGroup(each) ? each.commands : [each]));

/** The flags of the commands that the line can mean; those of all others are not worked out. */
async function flagsInQuestion(argv: readonly string[]) {
  const table = new Map<Command, Awaited<ReturnType<typeof flagsOf>>>();
  for (const leaf of leavesOf(commands)) {
    if ([leaf.name, ...(leaf.aliases ?? [])].some((name) => argv.includes(name))) table.set(leaf, await flagsOf(leaf));
  }
  return (leaf: Command) => table.get(leaf) ?? leaf.flags ?? [];
}

interface Reading {
  parsed?: Parsed;
  /** What help is asked for, from the program down. */
  help?: readonly CommandNode[];
  version?: boolean;
}

async function read(argv: readonly string[]): Promise<Reading> {
  const reading: Reading = {};
  const flagsFor = await flagsInQuestion(argv);
  const parser = buildParser(commands, {
    argv,
    flagsOf: flagsFor,
    onHelp: (path) => {
      reading.help = path;
    },
    onLeaf: (parsed) => {
      reading.parsed = parsed;
    },
  });
  try {
    parser.parse([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.version') reading.version = true;
    else if (reading.help === undefined) throw usageErrorFrom(error, argv);
  }
  return reading;
}

/** commander's own message in our form: one line, its guess, and where help is. */
function usageErrorFrom(error: CommanderError, argv: readonly string[]): Error {
  const [line = '', guess] = error.message.replace(/^error: /, '').split('\n');
  const message = `${line.charAt(0).toUpperCase()}${line.slice(1).replace(/\.?$/, '.')}`;
  const suggestion = guess ? ` ${guess.replace(/^\(|\)$/g, '')}` : '';
  const at = argv.findIndex((word) => named(commands, word) !== undefined);
  const group = named(commands, argv[at]);
  const leaf = group && isGroup(group) ? named(group.commands, argv[at + 1]) : undefined;
  const path = ['mkt', group?.name, leaf?.name].filter((name) => name !== undefined).join(' ');
  return usageError(`${message}${suggestion}`, `${path} --help`);
}

function checkArguments({ args, command: { args: known = [] }, path }: Parsed): void {
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

/** Whether the caller is a program that reads errors as JSON. Also asked about lines that do not parse. */
const wantsJson = (argv: readonly string[]): boolean =>
  argv.some(
    (word, index) =>
      word === '--json' ||
      /^--format=(nd)?json$/.test(word) ||
      (word === '--format' && /^(nd)?json$/.test(argv[index + 1] ?? '')),
  );

/** Parses and runs one command line, and tells what went wrong. */
export async function runCommand(argv: readonly string[], io: Io): Promise<ExitCode> {
  let context: Context | undefined;
  let parsed: Parsed | undefined;
  try {
    if (argv[0] === 'serve') {
      const { serve } = await import('../commands/serve/run.js');
      await serve(argv.slice(1), io);
      return exitCodes.ok;
    }
    const reading = await read(argv);
    parsed = reading.parsed;
    if (reading.version === true) {
      io.stdout.stream.write(`${version}\n`);
      return exitCodes.ok;
    }
    if (parsed === undefined) {
      await writeHelp(reading.help ?? [], io);
      return exitCodes.ok;
    }
    if (parsed.command === help) {
      const { answerHelp } = await import('./help/answer.js');
      await answerHelp(parsed.args, parsed.flags.all === true, io);
      return exitCodes.ok;
    }
    checkArguments(parsed);
    context = new Context(
      io,
      { ...globalOptions(parsed.global), newProfile: parsed.command.newProfile === true },
      makers,
    );
    if (context.options.jq !== undefined) {
      const { checkJq } = await import('../output/jq.js');
      await checkJq(context.options.jq);
    }
    await parsed.command.run(context, parsed);
    return exitCodes.ok;
  } catch (error) {
    if (error instanceof ReaderLeft) return exitCodes.ok;
    const { report } = await import('./report.js');
    return report(error, { io, context, invocation: parsed, json: wantsJson(argv) });
  }
}
