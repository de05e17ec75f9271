import { controlAddition } from '@mkt/mock-server/node';
import { type Ready, ServeError, serveCommand } from '@mkt/server/node';
import type { Command as Parser } from 'commander';
import type { Example } from '../context/command.js';
import { CliError, usageErrorFrom } from '../errors/cli-error.js';
import type { Io } from '../io/io.js';
import { HelpLayout } from '../output/help-layout.js';

type ServeCommand = ReturnType<typeof serveCommand>;

/** Makes commander throw errors instead of printing them and exiting, and print help as mkt does. */
function adapt(command: ServeCommand, io: Io): ServeCommand {
  command.exitOverride().configureOutput({ writeOut: io.print, outputError: () => undefined });
  command.helpOption('-h, --help', 'Help for the command');
  if (command.commands.length > 0) command.helpCommand('help [command]', 'Help for a command');
  command.createHelp = () => new HelpLayout(io);
  for (const inner of command.commands) adapt(inner, io);
  return command;
}

const isCommanderError = (error: unknown): error is Error & { code: string; exitCode: number } =>
  error instanceof Error && String((error as { code?: unknown }).code).startsWith('commander.');

/** What a command adds to the server. */
export interface Additions {
  /** Changes the description. */
  readonly extend: (command: Parser) => void;
  readonly onReady: (ready: Ready) => Promise<void>;
}

/** Passes the rest of the command line to the server, including flags and help. */
export async function serve(
  name: string,
  argv: readonly string[],
  io: Io,
  examples: readonly Example[],
  additions?: Additions,
): Promise<void> {
  const { stdout, stderr } = io;
  try {
    const command: ServeCommand = adapt(
      serveCommand(name, {
        stdout: stdout.stream,
        stderr: stderr.stream,
        addition: controlAddition,
        ...(additions && {
          onReady: additions.onReady,
          stop: io.interrupted,
        }),
      }),
      io,
    );
    additions?.extend(command);
    command.addHelpText('after', `\nExamples\n${examples.map(({ line }) => `  ${line}`).join('\n')}`);
    await command.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (error instanceof ServeError) {
      throw new CliError({ code: 'serve', message: error.message, cause: error });
    }
    if (!isCommanderError(error)) throw error;
    if (error.exitCode === 0 || error.code === 'commander.help') return;
    throw usageErrorFrom(error, `${name} --help`);
  }
}
