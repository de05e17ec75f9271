import type { Endpoint } from '@mkt/sdk/contract';
import type { Answer } from '../probe.js';
import { bodyOf, checkHead, checkItem, checkStatus, totalIn } from './answers.js';
import type { Asker } from './asker.js';
import type { Findings } from './findings.js';

/** A thing of a list, as far as the walk needs it. */
export interface Thing {
  readonly id: string;
  readonly name: unknown;
}

interface PageRead {
  readonly items: readonly unknown[];
  readonly count: number | undefined;
  readonly pages: number | undefined;
}

export const idIn = (item: unknown): string | undefined => {
  const { id } = (typeof item === 'object' && item !== null ? item : {}) as { id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
};

const thingsIn = (items: readonly unknown[]): Thing[] =>
  items.flatMap((item) => {
    const id = idIn(item);
    return id === undefined ? [] : [{ id, name: (item as { name?: unknown }).name }];
  });

function readPage(endpoint: Endpoint, answer: Answer, findings: Findings): PageRead | undefined {
  findings.answered(endpoint);
  if (!checkStatus(endpoint, answer, 'a page', 200, findings)) return undefined;
  const body = bodyOf(endpoint, answer, findings);
  if (body === undefined) return undefined;
  if (!Array.isArray(body.value)) {
    const got = body.value === null ? 'null' : typeof body.value;
    findings.departs(endpoint, { kind: 'wrong type', where: '(whole)', expected: 'array', got });
    return undefined;
  }
  const items = body.value as readonly unknown[];
  for (const item of items) checkItem(endpoint, item, findings);
  const count = totalIn(endpoint, answer, 'Total-Count', findings);
  return { items, count, pages: totalIn(endpoint, answer, 'Total-Pages', findings) };
}

/** The second page and the last one: a service without end must not keep anybody. */
const furtherPages = (pages: number): number[] => [...new Set([2, pages])].filter((page) => page >= 2 && page <= pages);

/** Reads a list: its first two pages and its last, the page headers, and HEAD. Gives what stood on them. */
export async function readList(
  endpoint: Endpoint,
  path: string,
  { ask }: Asker,
  findings: Findings,
): Promise<readonly Thing[]> {
  const answer = await ask('GET', path);
  // Not to be seen is no departure (api.md, General rule 4).
  if (answer.status === 403 || answer.status === 404) {
    findings.notVisible(endpoint);
    return [];
  }
  const first = readPage(endpoint, answer, findings);
  if (first === undefined) return [];
  const { items, count, pages = 1 } = first;
  const things = thingsIn(items);
  const further = furtherPages(pages);
  let read = items.length;
  let sound = true;
  for (const number of further) {
    const page = readPage(endpoint, await ask('GET', `${path}?page=${number}`), findings);
    if (page === undefined) {
      sound = false;
      continue;
    }
    const ids = new Set(things.map(({ id }) => id));
    const found = thingsIn(page.items);
    if (page.items.length === 0) {
      const told = { where: 'Total-Pages', expected: 'rows on every page', got: 'an empty page' };
      findings.departs(endpoint, { kind: 'paging', ...told });
    } else if (found.length > 0 && found.every(({ id }) => ids.has(id))) {
      const told = { where: 'page', expected: 'other rows on another page', got: 'the same rows' };
      findings.departs(endpoint, { kind: 'paging', ...told });
      sound = false;
    }
    read += page.items.length;
    things.push(...found);
  }
  if (sound && further.length === Math.max(0, pages - 1) && count !== undefined && read !== count) {
    const told = { where: 'Total-Count', expected: 'the number of rows', got: count > read ? 'more' : 'less' };
    findings.departs(endpoint, { kind: 'paging', ...told });
  }
  checkHead(endpoint, await ask('HEAD', path), answer, findings);
  return things;
}
