import { CommanderError } from 'commander';
import type { Command } from '../context/command.js';
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

const flagsFor = async (command: Command | undefined) =>
  command === undefined ? [] : (await import('../fields/flags-of.js')).flagsOf(command);

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
    const flags = hasFields && parsed?.flags.file === undefined ? await flagsFor(parsed?.command) : [];
    return report(error, { io, global: parsed?.global, json: wantsJson(argv), flags });
  }
}
