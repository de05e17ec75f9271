import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './blocks.js';

/** A Markdown file whose blocks are run. */
export interface Page {
  readonly path: string;
  /** Whether its blocks know nothing of each other: the data is as in the beginning before each. */
  readonly separate?: boolean;
  /** Whether its programs run as one, each in a scope of its own: there are many, of one line. */
  readonly oneProgram?: boolean;
  /** Whether another test checks its screens. */
  readonly withoutScreens?: boolean;
}

/** Pages with something special about them. */
const special: Readonly<Record<string, Omit<Page, 'path'>>> = {
  'docs/reference/endpoints.md': { separate: true, oneProgram: true },
  // A person at a terminal: packages/cli/test/readme.test.ts types it into one.
  'packages/cli/README.md': { withoutScreens: true },
};

/** Run by packages/cli/test/examples.test.ts and stacks.test.ts. */
const elsewhere = new Set(['docs/cli.md', 'docs/guides/stacks.md']);

const files = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`);

export const pages: readonly Page[] = [
  'README.md',
  ...files('docs'),
  ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/README.md`),
]
  .filter((path) => !elsewhere.has(path))
  .filter((path) => readFileSync(join(root, path), 'utf8').includes('```'))
  .sort()
  .map((path) => ({ path, ...special[path] }));
