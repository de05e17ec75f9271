import { serveCommand } from '@mkt/server/node';
import { CommanderError } from 'commander';
import { type ExitCode, exitCodes } from '../errors/exit-codes.js';

/** Hands the rest of the line to the server, flags and help included. */
export async function serve(argv: readonly string[]): Promise<ExitCode> {
  try {
    await serveCommand('mkt serve')
      .exitOverride()
      .parseAsync([...argv], { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    throw error;
  }
}
