import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { id } from './config-file.js';
import { readJsonFile, text } from './json-file.js';

const schema = z.looseObject({ org: z.optional(id), format: z.optional(text) });

/** What a project may set for everyone who works in its folder. Never a host, a token or a profile: it may be cloned. */
export interface Project {
  readonly path: string;
  readonly org?: string | undefined;
  readonly format?: string | undefined;
  /** Keys that were ignored. */
  readonly ignored: readonly string[];
}

/** The nearest `.mkt.json` from `directory` upwards. */
export function readProject(directory: string): Project | undefined {
  for (let folder = directory; ; folder = dirname(folder)) {
    const path = join(folder, '.mkt.json');
    const found = readJsonFile(path, schema);
    if (found !== undefined) {
      const { org, format, ...others } = found;
      return { path, org, format, ignored: Object.keys(others) };
    }
    if (dirname(folder) === folder) return undefined;
  }
}
