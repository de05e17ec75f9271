import { type Command, CommanderError } from 'commander';
import { version } from '../package.json';
import { fileReason, ServeError } from './node/errors.js';
import { serveCommand } from './node/serve-command.js';

/** Makes commander throw: the exit code for wrong flags is 2 here, as for every error that the user can correct. */
function withThrowingErrors(command: Command): Command {
  command.commands.forEach(withThrowingErrors);
  return command.exitOverride();
}

/** The reader may stop early, as `head` does. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') return;
  process.stderr.write(`error: The output cannot be written: ${fileReason(error)}.\n`);
  process.exit(1);
});

try {
  await withThrowingErrors(serveCommand('mkt-server').version(version)).parseAsync();
} catch (error) {
  if (!(error instanceof ServeError || error instanceof CommanderError)) throw error;
  // Commander has printed its own errors.
  if (error instanceof ServeError) process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = error.exitCode === 0 ? 0 : 2;
}
