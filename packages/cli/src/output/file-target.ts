import { createWriteStream, existsSync, openSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { usageError } from '../errors/cli-error.js';
import { Sink } from './printer.js';

export interface Target {
  readonly sink: Sink;
  readonly close: () => Promise<void>;
  readonly discard: () => void;
}

/** Whether the path is a device or a named pipe. */
export const isDevice = (path: string): boolean => {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory();
};

/** The target of a link such as /dev/stdout: it gets the rows, and the link remains. */
const targetOfLinks = (path: string): string => (existsSync(path) ? realpathSync(path) : path);

/**
 * A file that gets its name when it is complete, so that a partial one is never mistaken for a complete one. Devices and
 * named pipes are written to directly.
 * @param example A file name for the message that `path` is a folder.
 * @param mode Permissions of the file.
 */
export function fileTarget(path: string, example: string, mode = 0o666): Target {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw usageError(`${path} is a folder.`, `Name a file in it: --out ${join(path, example)}`);
  const folder = dirname(path);
  if (!existsSync(folder)) throw usageError(`The folder ${folder} does not exist.`);
  const device = isDevice(path);
  const file = device ? path : targetOfLinks(path);
  const partial = device ? path : `${file}.${process.pid}.part`;
  // Opened now, so that a file that cannot be written is reported before anything is fetched.
  const stream = createWriteStream(partial, { fd: openSync(partial, 'w', mode) });
  return {
    sink: new Sink(stream),
    close: async () => {
      stream.end();
      await finished(stream);
      if (!device) renameSync(partial, file);
    },
    discard: () => {
      stream.destroy();
      if (!device) rmSync(partial, { force: true });
    },
  };
}
