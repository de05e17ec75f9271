import { ServeError, serveCommand } from '@mkt/server/node';
import { CliError, usageErrorFrom } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import type { Io } from '../../io/io.js';

type ServeCommand = ReturnType<typeof serveCommand>;

/** Makes commander throw errors instead of printing them and exiting. */
function throwErrors(command: ServeCommand): ServeCommand {
  command.exitOverride().configureOutput({ outputError: () => undefined });
  for (const inner of command.commands) throwErrors(inner);
  return command;
}

const isCommanderError = (error: unknown): error is Error & { code: string; exitCode: number } =>
  error instanceof Error && String((error as { code?: unknown }).code).startsWith('commander.');

/** Passes the rest of the command line to the server, including flags and help. */
export async function serve(argv: readonly string[], io: Io): Promise<void> {
  const { stdout, stderr } = io;
  try {
    const command = throwErrors(serveCommand('mkt serve', { stdout: stdout.stream, stderr: stderr.stream }));
    await command.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (error instanceof ServeError) {
      throw new CliError({ code: 'serve', exitCode: exitCodes.usage, message: error.message, cause: error });
    }
    if (!isCommanderError(error)) throw error;
    if (error.exitCode === 0 || error.code === 'commander.help') return;
    throw usageErrorFrom(error, 'mkt serve --help');
  }
}
