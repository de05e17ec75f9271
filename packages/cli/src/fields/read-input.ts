import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { textOf } from '../config/text-of.js';
import { fileError, interrupted, toType, usageError } from '../errors/cli-error.js';
import type { Io } from '../io/io.js';

/** Reads stdin to its end. Rejects a terminal, which would wait for input without a prompt. */
export async function readStdinBytes(io: Io, flag: string): Promise<Buffer> {
  if (io.stdin.isTTY)
    throw usageError(
      `${flag} reads from a pipe, but there is none.`,
      toType(`cat FILE | mkt ... ${flag}`, 'Pipe data in'),
    );
  const parts: Buffer[] = [];
  for await (const part of io.stdin.stream) parts.push(Buffer.from(part as Buffer));
  // Ctrl-C also ends the program that writes to the pipe, so the input may be incomplete.
  if (io.interrupted.aborted) throw interrupted('Interrupted; nothing was changed.');
  return Buffer.concat(parts);
}

/** The same as text. */
export const readStdin = async (io: Io, flag: string): Promise<string> =>
  textOf(await readStdinBytes(io, flag), 'stdin');

export function readNamedFile(path: string, flag: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'the file does not exist' : code === 'EISDIR' ? 'it is a folder' : String(code);
    if (code === 'ENOENT' || code === 'EISDIR') throw usageError(`${flag} ${path}: ${reason}.`);
    throw fileError(`${flag} ${path}: ${reason}.`, cause);
  }
}

/**
 * The file of a command that takes it as an argument or as `--file`, and what messages call it.
 * @throws a usage error for both and for neither
 */
export function fileOf(argument: string | undefined, flag: string | undefined, example: string) {
  if (argument !== undefined && flag !== undefined) {
    throw usageError(`Two files were given: ${argument} and --file ${flag}.`, 'Remove one of the two');
  }
  const path = argument ?? flag;
  if (path === undefined) throw usageError('No file was given.', example);
  return { path, name: path === '-' ? 'stdin' : path, label: flag === undefined ? 'file' : '--file' };
}

/** The text of a file, or with `-` of stdin. */
export const readText = async (path: string, flag: string, io: Io): Promise<string> =>
  path === '-' ? readStdin(io, `${flag} -`) : textOf(readNamedFile(path, flag), path);

/** The text of a flag, or with `@file` and `@-` the content of the file or of stdin. */
export async function textOrFile(text: string, flag: string, io: Io): Promise<string> {
  if (!text.startsWith('@')) return text;
  return text === '@-' ? readStdin(io, `${flag} @-`) : readText(text.slice(1), flag, io);
}

/** An image as the SDK takes it. @throws a usage error for a file that the service would reject after its upload */
export async function readImage(path: string, flag: string) {
  const { imageType, maxImageBytes } = await import('@mkt/sdk/contract');
  const data = new Uint8Array(readNamedFile(path, flag));
  if (data.length > maxImageBytes) {
    const size = (data.length / 1024 / 1024).toFixed(1);
    throw usageError(
      `${flag} ${path}: an image may have at most ${maxImageBytes / 1024 / 1024} MiB, this has ${size}.`,
    );
  }
  const type = imageType(data);
  if (type === null) throw usageError(`${flag} ${path}: this is not a PNG, JPEG, WebP or GIF image.`);
  return { data, name: basename(path), type };
}
