import type { Endpoint } from '@mkt/sdk/contract';
import type { Answer } from '../probe.js';
import { bodyOf, checkErrorBody, checkHead, checkItem, checkStatus } from './answers.js';
import type { Asker } from './asker.js';
import type { Findings } from './findings.js';
import { idIn } from './read-list.js';

function readItem(endpoint: Endpoint, answer: Answer, where: string, findings: Findings): unknown {
  findings.answered(endpoint);
  if (!checkStatus(endpoint, answer, where, 200, findings)) return undefined;
  const body = bodyOf(endpoint, answer, findings);
  if (body !== undefined) checkItem(endpoint, body.value, findings);
  return body?.value;
}

/** Reads what there is one of, such as the address. */
export async function readSingle(endpoint: Endpoint, path: string, { ask }: Asker, findings: Findings): Promise<void> {
  const answer = await ask('GET', path);
  // An address that nobody has set yet (api.md, Address).
  if (answer.status === 404) {
    findings.notChecked(endpoint, 'none is set yet');
    checkErrorBody(endpoint, answer, 'none is set', findings);
    return;
  }
  if (answer.status === 403) {
    findings.notVisible(endpoint);
    return;
  }
  readItem(endpoint, answer, '(whole)', findings);
  checkHead(endpoint, await ask('HEAD', path), answer, findings);
}

/** A show has an ETag and answers 304 to it (api.md, General rule 6). What changed meanwhile gets a second chance. */
async function readAgain(
  endpoint: Endpoint,
  path: string,
  answer: Answer,
  { ask }: Asker,
  findings: Findings,
): Promise<void> {
  const before: (string | null)[] = [];
  for (let last = answer; ; ) {
    const etag = last.headers.get('etag');
    if (etag === null) {
      findings.departs(endpoint, { kind: 'etag', where: 'ETag', expected: 'an ETag', got: 'nothing' });
      return;
    }
    if (before.length === 2) {
      const got = before.includes(etag) ? '200' : '200 and another ETag';
      findings.departs(endpoint, { kind: 'etag', where: 'If-None-Match', expected: '304', got });
      return;
    }
    before.push(etag);
    last = await ask('GET', path, { headers: { 'if-none-match': etag } });
    findings.answered(endpoint);
    if (last.status === 304) return;
    if (!checkStatus(endpoint, last, 'If-None-Match', 200, findings)) return;
  }
}

/** Reads one thing of a list by its id, and once more by its ETag; the first one with HEAD too. */
export async function readShow(
  endpoint: Endpoint,
  { path, id, first }: { readonly path: string; readonly id: string; readonly first: boolean },
  asker: Asker,
  findings: Findings,
): Promise<void> {
  const answer = await asker.ask('GET', path);
  const value = readItem(endpoint, answer, 'one of its list', findings);
  if (answer.status !== 200) return;
  if (value !== undefined && idIn(value) !== id)
    findings.departs(endpoint, { kind: 'body', where: 'id', expected: 'the id asked for', got: 'another' });
  if (endpoint.etag) await readAgain(endpoint, path, answer, asker, findings);
  if (first) checkHead(endpoint, await asker.ask('HEAD', path), answer, findings);
}

/** What does not exist is a 404 that says so in JSON. */
export async function readMissing(endpoint: Endpoint, path: string, { ask }: Asker, findings: Findings): Promise<void> {
  const answer = await ask('GET', path);
  const where = 'no such id';
  if (checkStatus(endpoint, answer, where, 404, findings)) checkErrorBody(endpoint, answer, where, findings);
}
