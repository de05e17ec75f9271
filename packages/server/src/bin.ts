import { CommanderError } from 'commander';
import { ServeError } from './node/errors.js';
import { serveCommand } from './node/serve-command.js';

const command = serveCommand('mkt-server').exitOverride();

try {
  await command.parseAsync();
} catch (error) {
  if (!(error instanceof ServeError || error instanceof CommanderError)) throw error;
  // Commander has printed its own already.
  if (error instanceof ServeError) process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = error.exitCode === 0 ? 0 : 2;
}
