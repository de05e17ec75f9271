import { type Command, CommanderError } from 'commander';
import { ServeError } from './node/errors.js';
import { serveCommand } from './node/serve-command.js';

/** Commander ends the process with 1 for a wrong flag; it is 2 here, as for every mistake that the user can fix. */
function throwing(command: Command): Command {
  command.commands.forEach(throwing);
  return command.exitOverride();
}

/** Who started it may read the ready line and hang up: the server goes on without its log. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error;
});

try {
  await throwing(serveCommand('mkt-server')).parseAsync();
} catch (error) {
  if (!(error instanceof ServeError || error instanceof CommanderError)) throw error;
  // Commander has printed its own already.
  if (error instanceof ServeError) process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = error.exitCode === 0 ? 0 : 2;
}
