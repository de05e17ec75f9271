import { exitCodes } from './errors/exit-codes.js';
import { processIo } from './io/process-io.js';
import { run } from './root/run-command.js';

// For the generator of the README's screenshot, which runs the built program on its own terminal.
export { run };

/** The program: this process's command line and streams. */
export async function main(): Promise<void> {
  let lost = false;
  const io = processIo(() => {
    lost = true;
    process.exitCode = exitCodes.unexpected;
  });
  // If the run never settles, Node exits with nothing left to do. That must not look like a success.
  let ended = false;
  process.exitCode = exitCodes.unexpected;
  process.once('exit', () => {
    if (!ended)
      process.stderr.write('error: mkt exited before the command finished. This is a bug in mkt: please report it.\n');
  });
  const code = await run(process.argv.slice(2), io);
  ended = true;
  // Not process.exit, which would cut off output that is still in a pipe.
  if (!lost) process.exitCode = code;
}
