import { readdirSync } from 'node:fs';

const OURS = /^(config|credentials)\.json|^\.lock$|^cache$/;

/** Whether nobody else keeps things in the folder: one that is shared (MKT_CONFIG_DIR=/tmp) must not be closed to others. */
export const isOurs = (directory: string): boolean => readdirSync(directory).every((name) => OURS.test(name));
