import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** What a start needs: modules, the store, its files, the socket and a few connections. */
const needed = 64;

export const tooFewDescriptors = 'There are not enough file descriptors to start. Raise the limit: ulimit -n 1024';

/** Whether there are enough file descriptors. Opens them, because how many a start needs differs between versions of Node. */
export function hasDescriptors(): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < needed) opened.push(openSync(devNull, 'r'));
    return true;
  } catch (error) {
    if (/^E[MN]FILE$/.test((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
