import { type ExitCode, exitCodes } from './errors/exit-codes.js';
import type { Io } from './io/io.js';
import { processIo } from './io/process-io.js';
import { commands } from './root/commands.js';
import { helpPath } from './root/help/path.js';
import { writeHelp } from './root/help/write.js';

/**
 * Runs one command line.
 * @param argv what follows `mkt`
 * @returns the exit code; it never throws and never ends the process
 */
export async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  const path = helpPath(argv, commands);
  if (path === undefined) {
    const { runCommand } = await import('./root/run-command.js');
    return runCommand(argv, io);
  }
  // Plain help needs neither the parser nor anything behind it.
  await writeHelp(path, io);
  return exitCodes.ok;
}

/** The program: this process's command line and streams. */
export async function main(): Promise<void> {
  let lost = false;
  const io = processIo(() => {
    lost = true;
    process.exitCode = exitCodes.unexpected;
  });
  // A run that never comes to its end commands Node without work, which must not look like a success.
  let ended = false;
  process.exitCode = exitCodes.unexpected;
  process.once('exit', () => {
    if (!ended)
      process.stderr.write('error: mkt ended before it was done. This is a fault of mkt: please report it.\n');
  });
  const code = await run(process.argv.slice(2), io);
  ended = true;
  // Not process.exit: what is still on its way through a pipe would be cut off.
  if (!lost) process.exitCode = code;
}
