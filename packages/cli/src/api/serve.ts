import { controlAddition } from '@mkt/mock-server/node';
import { type Ready, type Served, ServeError, serveCommand } from '@mkt/server/node';
import type { CommanderError, Command as Parser } from 'commander';
import type { Example } from '../context/command.js';
import { CliError } from '../errors/cli-error.js';
import { copyHeader } from '../history/journal.js';
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

/** The test controls, on a server that says in each response that it is a copy. */
const copyAddition: typeof controlAddition = {
  ...controlAddition,
  prepare(flags, seed) {
    const prepared = controlAddition.prepare(flags, seed);
    return {
      ...prepared,
      extend(parts) {
        const { fetch, close }: Served = prepared.extend?.(parts) ?? parts.createApp();
        return {
          async fetch(...request) {
            const response = await fetch(...request);
            response.headers.set(copyHeader, 'true');
            return response;
          },
          ...(close && { close }),
        };
      },
    };
  },
};

/** What `mkt twin serve` adds. */
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
        addition: additions ? copyAddition : controlAddition,
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
