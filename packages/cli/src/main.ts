import { type ExitCode, exitCodes } from './errors/cli-error.js';
import { processIo } from './io/process-io.js';
import { run, wantsJson } from './root/run-command.js';

// For the generator of the README's screenshot, which runs the built program on its own terminal.
export { run };

/** The program: this process's command line and streams. */
export async function main(): Promise<void> {
  const argv = process.argv.slice(2);
  let lost: Error | undefined;
  let code: ExitCode | undefined;
  // Commands that wait for their output fail by themselves. The others have succeeded by then.
  const reportLost = async (): Promise<void> => {
    if (lost === undefined || code !== exitCodes.ok) return;
    const { report } = await import('./root/report.js');
    process.exitCode = report(lost, { io, global: undefined, json: wantsJson(argv) });
  };
  const io = processIo((error) => {
    lost ??= error;
    void reportLost();
  });
  // If the run never settles, Node exits with nothing left to do. That must not look like a success.
  let ended = false;
  process.exitCode = exitCodes.unexpected;
  process.once('exit', () => {
    if (!ended)
      process.stderr.write('error: mkt exited before the command finished. This is a bug in mkt: please report it.\n');
  });
  code = await run(argv, io);
  ended = true;
  // Not process.exit, which would cut off output that is still in a pipe.
  process.exitCode = code;
  await reportLost();
}
