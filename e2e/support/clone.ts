import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './docs/blocks.js';

/** Makes a clone of the last commit, with the changes that are not committed. */
export function cloneTo(folder: string): void {
  execFileSync('git', ['clone', '--quiet', root, folder]);
  const changed = execFileSync('git', ['ls-files', '-z', '--modified', '--others', '--exclude-standard'], {
    cwd: root,
  });
  for (const file of String(changed).split('\0').filter(Boolean)) {
    if (existsSync(join(root, file))) cpSync(join(root, file), join(folder, file));
    else rmSync(join(folder, file));
  }
}
