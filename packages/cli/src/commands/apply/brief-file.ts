import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { textOf } from '../../config/text-of.js';
import { CliError } from '../../errors/cli-error.js';
import { readNamedFile } from '../../shared/fields/read-input.js';

/** Where `@file` may lead: below the folder of the declaring file, or below the folder that one works in. */
export interface Folders {
  readonly base: string;
  readonly working: string;
}

export const foldersOf = (file: string): Folders => ({
  base: file === '-' ? resolve() : dirname(resolve(file)),
  working: resolve(),
});

const within = (folder: string, path: string): boolean => {
  const way = relative(realpathSync(folder), path);
  return way !== '' && !way.startsWith('..') && !isAbsolute(way);
};

/**
 * The text of `@file`, relative to the declaring file. Nothing outside the project is read: what a file declares is
 * shown and sent, and a declaration that came with a pull request must not fetch `/proc/self/environ`.
 * @returns the text, or the sentence that says why there is none
 */
export function referredText(reference: string, { base, working }: Folders): { text: string } | { complaint: string } {
  const name = reference.slice(1);
  const path = resolve(base, name);
  let real: string;
  try {
    real = realpathSync(path);
  } catch {
    return { complaint: `${reference} refers to a file that is not there (${path}).` };
  }
  if (!within(base, real) && !within(working, real)) {
    return {
      complaint: `${reference} leads out of the folder of this file and out of the working folder: it is not read.`,
    };
  }
  try {
    return { text: textOf(readNamedFile(real, reference), reference) };
  } catch (error) {
    if (error instanceof CliError) return { complaint: error.message };
    throw error;
  }
}
