import { dirname, join } from 'node:path';
import { readJsonObject, textIn } from './json-file.js';

/** What a project may decide for whoever works in its folder. Never a host, a token or a profile: it may be cloned. */
export interface Project {
  readonly path: string;
  readonly org?: string;
  readonly format?: string;
  /** Keys that were ignored. */
  readonly ignored: readonly string[];
}

/** The nearest `.mkt.json` from `directory` upwards. */
export function readProject(directory: string): Project | undefined {
  for (let folder = directory; ; folder = dirname(folder)) {
    const path = join(folder, '.mkt.json');
    const object = readJsonObject(path);
    if (object !== undefined) {
      const org = typeof object.org === 'number' ? String(object.org) : textIn(object, 'org');
      const format = textIn(object, 'format');
      const ignored = Object.keys(object).filter((key) => key !== 'org' && key !== 'format');
      return { path, ignored, ...(org !== undefined && { org }), ...(format !== undefined && { format }) };
    }
    if (dirname(folder) === folder) return undefined;
  }
}
