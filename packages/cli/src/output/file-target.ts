import {
  close,
  createWriteStream,
  existsSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  write as writeBytes,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { toType, usageError } from '../errors/cli-error.js';
import { Sink } from './printer.js';

/** Whether the path is a device or a named pipe. */
export const isDevice = (path: string): boolean => {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory();
};

interface Target {
  /** As in other programs, `-` means stdout, and so does undefined. */
  readonly path: string | undefined;
  readonly stdout: Sink;
  /** A file name for the message that `path` is a folder. */
  readonly example: string;
  readonly mode?: number;
}

/**
 * Runs `write` with stdout, or with a file that gets its name when it is complete, so that a partial one is never mistaken
 * for a complete one. Devices and named pipes are written to directly.
 */
export async function writeTo<Result>(
  { path, stdout, example, mode = 0o666 }: Target,
  write: (sink: Sink) => Promise<Result>,
): Promise<Result> {
  if (path === undefined || path === '-') return write(stdout);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw usageError(`${path} is a folder.`, toType(`--out ${join(path, example)}`, 'Name a file in it'));
  const folder = dirname(path);
  if (!existsSync(folder)) throw usageError(`The folder ${folder} does not exist.`);
  const device = isDevice(path);
  // The target of a link gets the rows, and the link remains.
  const file = !device && existsSync(path) ? realpathSync(path) : path;
  const partial = device ? path : `${file}.${process.pid}.part`;
  // Opened now, so that a file that cannot be written is reported before anything is fetched.
  // The files of a single executable of Node 26 have no `writev`: the stream gets the functions without it.
  const fs = { write: writeBytes, close };
  const stream = createWriteStream(partial, { fd: openSync(partial, 'w', mode), fs });
  try {
    const result = await write(new Sink(stream));
    stream.end();
    await finished(stream);
    if (!device) renameSync(partial, file);
    return result;
  } catch (error) {
    stream.destroy();
    if (!device) rmSync(partial, { force: true });
    throw error;
  }
}
