import { CommanderError } from 'commander';
import type { Flag } from '../context/flags.js';
import { CliError, type ExitCode, exitCodes } from '../errors/cli-error.js';
import type { Io } from '../io/io.js';
import { commands } from './commands.js';
import { helpFor } from './help/help.js';
import { buildParser, expand, HelpRequested, type Parsed } from './parser.js';

/** Whether the caller reads errors as JSON; works for command lines that do not parse, too. */
export const wantsJson = (argv: readonly string[]): boolean =>
  argv.some(
    (word, index) =>
      word === '--json' ||
      /^--format=(nd)?json$/.test(word) ||
      (word === '--format' && /^(nd)?json$/.test(argv[index + 1] ?? '')),
  );

/** The flags of a command, whose names stand for those of the API; a flag that was given, for the field that it fills. */
async function flagsFor({ command, flags: given }: Parsed): Promise<readonly Flag[]> {
  const { flagsOf } = await import('../fields/flags-of.js');
  const flags = await flagsOf(command);
  const [filling] = flags.filter(({ name, fills }) => fills !== undefined && given[name] !== undefined);
  return flags.map((flag) => {
    if (filling === undefined || flag.field !== filling.fills) return flag;
    return { ...flag, name: given[flag.name] === undefined ? filling.name : `${flag.name} or --${filling.name}` };
  });
}

/**
 * Runs one command line.
 * @param argv the arguments after `mkt`
 * @returns the exit code; it never throws and never ends the process
 */
export async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  let parsed: Parsed | undefined;
  const program = buildParser(commands, async (given) => {
    parsed = given;
    const { execute } = await import('./execute.js');
    await execute(argv, given, io, run);
  });
  try {
    // As the only word, -v means the version in most programs; with a command, it shows each request.
    const isVersion = argv.length === 1 && argv[0] === '-v';
    await program.parseAsync(isVersion ? ['--version'] : argv, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    if (error instanceof HelpRequested || error instanceof CommanderError) {
      if (error instanceof HelpRequested) await expand(error.parser, async () => undefined);
      const text = error instanceof HelpRequested ? await helpFor(error.parser, io) : `${error.message}\n`;
      io.print(text);
      return exitCodes.ok;
    }
    const { report } = await import('./report.js');
    const hasFields = error instanceof CliError && error.details.fields !== undefined;
    // Fields from a file have the names of the API there.
    const flags = hasFields && parsed !== undefined && parsed.flags.file === undefined ? await flagsFor(parsed) : [];
    return report(error, { io, global: parsed?.global, json: wantsJson(argv), flags });
  }
}
