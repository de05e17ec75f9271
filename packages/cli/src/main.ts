import { exitCodes } from './errors/exit-codes.js';
import { processIo } from './io/process-io.js';
import { run } from './root/run-command.js';

// For the generator of the README's screenshot, which runs the built program on a terminal of its own.
export { run };

/** The program: this process's command line and streams. */
export async function main(): Promise<void> {
  let lost = false;
  const io = processIo(() => {
    lost = true;
    process.exitCode = exitCodes.unexpected;
  });
  // A run that never ends leaves Node without work, which must not look like a success.
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
