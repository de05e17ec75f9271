import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../../..');

/** A fenced block of a Markdown file. */
export interface Block {
  readonly page: string;
  /** Line of its opening fence, from 1 on. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** Why tests of the pages don't run it, where the page says so in the line before it. */
  readonly notRun: string | undefined;
}

/** What readers see above a block that no test runs, or another one: `_Not run by our tests: it needs a browser._` */
const marker = /^_((?:Not run by our tests:|Tested) .+)_$/;

/** The blocks of a page, in its order. @param page Path from the root of the repository. */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^```(\S*)[^\n]*\n([\s\S]*?)^```$/gm)].map(({ index, 1: language = '', 2: code = '' }) => {
    const before = text.slice(0, index).trimEnd().split('\n');
    return {
      page,
      line: text.slice(0, index).split('\n').length,
      language,
      code,
      notRun: marker.exec(before.at(-1) ?? '')?.[1],
    };
  });
}

/** Addresses as pages show them. A test has others. */
const shownUrls = ['http://127.0.0.1:4010', 'http://localhost:4010'] as const;
export const shownDatabase = 'postgres://mkt:secret@db.internal:5432/mkt';

/** A text of a page with the addresses that a test has in place of those that it shows. */
export const withAddresses = (text: string, url: string, database = shownDatabase): string =>
  shownUrls.reduce((replaced, shown) => replaced.replaceAll(shown, url), text).replaceAll(shownDatabase, database);
