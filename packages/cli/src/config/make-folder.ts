import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Folder by folder: on Node 20 a recursive `mkdir` never returns where the parent takes no folders (/proc). */
export function makeFolder(directory: string): void {
  if (existsSync(directory)) return;
  makeFolder(dirname(directory));
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // Another run was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
