import { sha256 } from '../digest.js';
import type { SqliteDriverName } from '../store/sql/sqlite-driver.js';
import type { Seed } from './seeding.js';

export interface Ready {
  /** Where it listens. */
  readonly url: string;
  /** Null without metrics. */
  readonly metricsUrl: string | null;
  /** Where clients reach it, if that is configured. */
  readonly baseUrl: string | null;
  /** Where the data is, without a password. */
  readonly db: string;
  /** Null if the data is not in an SQLite file. */
  readonly driver: SqliteDriverName | null;
  /** How the way to the database is protected, if it is. */
  readonly protection: string | null;
  /** The seed; null if the store contained data already. */
  readonly seeded: Seed | null;
  /** What the program that runs the server adds. */
  readonly additions: ReadyAdditions;
}

/** Additions to the ready message. */
export interface ReadyAdditions {
  /** Members of the JSON line. */
  readonly json: Readonly<Record<string, unknown>>;
  /** Labels and values after the URLs of the API and its docs. */
  readonly rows: readonly (readonly [label: string, value: string])[];
}

/** A PostgreSQL URL without its password. */
export function shownDb(db: string): string {
  // Not parsed: with several hosts it is not a URL for `URL`.
  return /^postgres(ql)?:/.test(db)
    ? db.replace(/^([^/]*\/\/[^:@/?#]*):[^/?#]*@/, '$1:***@').replace(/([?&](?:ssl)?password=)[^&]*/g, '$1***')
    : db;
}

export const readyJson = ({ url, metricsUrl, db, seeded, additions }: Ready): string =>
  `${JSON.stringify({
    url,
    db,
    tokens: seeded?.tokens ?? {},
    organizations: (seeded?.dump.tables.organizations ?? []).map(({ id, name }) => ({ id, name })),
    ...additions.json,
    ...(metricsUrl !== null && { metrics: metricsUrl }),
    pid: process.pid,
  })}\n`;

export function readyText(ready: Ready): string {
  const { url, metricsUrl, baseUrl, seeded, additions } = ready;
  const [token = '<ACCESS_TOKEN>'] = Object.values(seeded?.tokens ?? {});
  return [
    'The reference server is ready. Ctrl-C stops it.',
    '',
    ...table([
      ['API', baseUrl === null ? url : `${url}, reached as ${baseUrl}`],
      ['Sign-in', `${pagesOf(ready)}/sign_in`],
      ['Docs', `${url}/docs`],
      ...(metricsUrl === null ? [] : [['Metrics', metricsUrl]]),
      ...additions.rows,
    ]),
    '',
    ...(seeded ? [...table(tokenRows(seeded)), ''] : []),
    ...dataLines(ready).map((line) => `  ${line}`),
    '',
    `  curl -H 'Accept: application/json' -H 'Authorization: Bearer ${token}' ${url}/organizations.json`,
    '',
  ].join('\n');
}

/** If the base URL has a path, pages work only behind the proxy that removes it. */
const pagesOf = ({ url, baseUrl }: Ready): string =>
  baseUrl !== null && new URL(baseUrl).pathname !== '/' ? baseUrl : url;

/** Only the first token of a persistent store, which is not shown again. */
export const tokenText = ({ seeded }: Ready): string =>
  seeded?.name === 'empty' ? `${Object.values(seeded.tokens).join('\n')}\n` : '';

/** Name, e-mail address, permission and secret of each token that works. */
function tokenRows({ dump, tokens }: Seed): string[][] {
  const users = new Map(dump.tables.users.map((user) => [user.id, user]));
  const rows = new Map(dump.tables.access_tokens.map((row) => [row.digest, row]));
  return Object.values(tokens).map((secret) => {
    const row = rows.get(sha256(secret));
    const user = users.get(row?.user_id ?? '');
    return [user?.name ?? '', user?.email ?? '', row?.permission ?? '', secret];
  });
}

function dataLines({ db, driver, protection, seeded }: Ready): string[] {
  const lost = 'in memory and is lost when the server stops.';
  if (db === 'memory:') return [`The data is ${lost} To store it, use --db FILE.db.`];
  const stored = [`The data is stored in ${db}${driver === null ? '' : `, with ${driver}`}.`, protection]
    .filter((sentence) => sentence !== null)
    .join(' ');
  if (!seeded) return [`${stored} It already contained data, so no seed was used.`];
  return seeded.name === 'empty' ? [stored, 'The token above is shown only once: save it now.'] : [stored];
}

/** What could change other text of a terminal. */
const controls = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
const escaped = (control: string): string => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;

export function table(texts: readonly (readonly string[])[]): string[] {
  const rows = texts.map((row) => row.map((cell) => cell.replace(controls, escaped)));
  const widths = rows.reduce<number[]>((most, row) => row.map((cell, at) => Math.max(most[at] ?? 0, cell.length)), []);
  return rows.map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd());
}
