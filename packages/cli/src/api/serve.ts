import { controlAddition } from '@mkt/mock-server/node';
import { type Ready, ServeError, serveCommand } from '@mkt/server/node';
import type { CommanderError, Command as Parser } from 'commander';
import type { Example } from '../context/command.js';
import { CliError } from '../errors/cli-error.js';
import type { Io } from '../io/io.js';
import { HelpLayout } from '../output/help-layout.js';

type ServeCommand = ReturnType<typeof serveCommand>;

/** Makes commander throw errors instead of exiting, and print help as mkt does. @param path what help and errors call it */
function adapt(command: ServeCommand, io: Io, path: string): ServeCommand {
  const writeErr = (text: string) => void io.stderr.stream.write(text);
  command.exitOverride().configureOutput({ writeOut: io.print, writeErr }).showHelpAfterError(`  try:  ${path} --help`);
  command.helpOption('-h, --help', 'Help for the command');
  if (command.commands.length > 0) command.helpCommand('help [command]', 'Help for a command');
  command.createHelp = () => new HelpLayout(io);
  for (const inner of command.commands) adapt(inner, io, `${path} ${inner.name()}`);
  return command;
}

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
      name,
    );
    additions?.extend(command);
    command.addHelpText('after', `\nExamples\n${examples.map(({ line }) => `  ${line}`).join('\n')}`);
    await command.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (error instanceof ServeError) {
      throw new CliError({ code: 'serve', message: error.message, cause: error });
    }
    const { code = '', exitCode, message } = error as Partial<CommanderError>;
    if (!String(code).startsWith('commander.')) throw error;
    if (exitCode === 0 || code === 'commander.help') return;
    // commander has written it.
    throw new CliError({ code: 'usage', message: String(message), silent: true });
  }
}
