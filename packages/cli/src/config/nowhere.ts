import { join } from 'node:path';

/** A place for settings where there are none and nothing can be written: inside a file there is no folder. */
export const NOWHERE = join(process.execPath, 'nowhere');
