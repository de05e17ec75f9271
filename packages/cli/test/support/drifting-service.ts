import { expect } from 'vitest';
import type { Finding } from '../../src/commands/doctor/drift.js';
import { runCli, type Terminal } from './run-cli.js';
import { type Scripted, scriptedServer } from './scripted-server.js';
import { tokens } from './service.js';

/** The token that a drifting service is asked with. */
export const SECRET = 'some_secret_token';
const NONE = ['ok', 'not visible', 'not checked'];

/** The report as data. Whatever the service says, no token and no stack is in it. */
export async function drift(
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
  terminal: Terminal = {},
) {
  const screen = await runCli(['doctor', '--drift', '--json', ...flags], { ...terminal, env });
  for (const text of [screen.stdout, screen.stderr]) {
    expect(text).not.toMatch(/ {4}at /);
    expect(text).not.toContain('\u001b');
    for (const token of [SECRET, ...Object.values(tokens)]) expect(text).not.toContain(token);
  }
  const rows = screen.stdout === '' ? [] : (JSON.parse(screen.stdout) as Finding[]);
  return { ...screen, rows, differences: rows.filter(({ kind }) => !NONE.includes(kind)) };
}

export type Answer = Scripted | 'hang' | 'drop';
export interface Asked {
  readonly path: string;
  readonly page: string | null;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export const stamps = { created_at: '2026-01-05T09:00:00Z', updated_at: '2026-01-05T09:00:00Z' };
export const brand = {
  id: 'org_8Hq2',
  name: 'Acme',
  privacy_setting: 'public',
  website: null,
  ...stamps,
  url: 'https://api.example/organizations/org_8Hq2.json',
};
export const page = (items: readonly unknown[], headers: Record<string, string> = {}): Scripted => ({
  body: items,
  headers: { 'total-count': String(items.length), 'total-pages': '1', ...headers },
});

/** A service that keeps to the contract and has one brand, but for what `answers` says. */
export async function service(answers: (asked: Asked) => Answer | undefined) {
  const asked: Asked[] = [];
  const keeps = ({ path, headers }: Asked): Answer => {
    if (path === '/organizations.json') return page([brand]);
    if (path === '/organizations/org_8Hq2.json') {
      if (headers['if-none-match'] === '"1"') return { status: 304 };
      return { body: brand, headers: { etag: '"1"' } };
    }
    if (/^\/organizations\/org_8Hq2\/\w+\.json$|^\/me\/(access_tokens|social_accounts)\.json$/.test(path))
      return page([]);
    return { status: 404, body: { error: 'Not found.' } };
  };
  const url = await scriptedServer(({ url: target = '', method = 'GET', headers }) => {
    const { pathname, searchParams } = new URL(target, 'http://localhost');
    const request = { path: pathname, page: searchParams.get('page'), method, headers };
    asked.push(request);
    return answers(request) ?? keeps(request);
  });
  return { env: { MKT_TOKEN: SECRET, MKT_BASE_URL: url }, asked };
}

/** What departs when only this answer is another: kind, where, expected and got, for the endpoints that have any. */
export async function differencesOf(answers: (asked: Asked) => Answer | undefined, flags: readonly string[] = []) {
  const { env, asked } = await service(answers);
  const { code, stderr, differences } = await drift(env, flags);
  expect(asked.filter(({ method }) => method !== 'GET')).toEqual([]);
  expect(asked.length).toBeLessThan(200);
  if (differences.length > 0) {
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'drift', exitCode: 1 } });
  }
  return {
    code,
    differences: differences.map(({ endpoint, kind, where, expected, got }) => [endpoint, kind, where, expected, got]),
  };
}

/** This answer at a path. */
export const one = (path: string, answer: Answer | ((asked: Asked) => Answer | undefined)) => (asked: Asked) =>
  asked.path === path ? (typeof answer === 'function' ? answer(asked) : answer) : undefined;
