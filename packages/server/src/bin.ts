#!/usr/bin/env node
import { type Command, CommanderError } from 'commander';
import { ServeError } from './node/errors.js';
import { serveCommand } from './node/serve-command.js';

/** Commander ends the process with 1 for a wrong flag; it is 2 here, as for everything that the user can mend. */
function throwing(command: Command): Command {
  command.commands.forEach(throwing);
  return command.exitOverride();
}

try {
  await throwing(serveCommand('mkt-server')).parseAsync();
} catch (error) {
  if (!(error instanceof ServeError || error instanceof CommanderError)) throw error;
  // Commander has printed its own already.
  if (error instanceof ServeError) process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = error.exitCode === 0 ? 0 : 2;
}
