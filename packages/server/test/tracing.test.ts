import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sqliteDriver } from '../src/store/sql/sqlite-driver.js';
import { Run } from './support/command.js';
import { createDatabase, type TestDatabase } from './support/postgres.js';
import { send, urlOf } from './support/served.js';

interface Span {
  readonly id: string;
  readonly traceId: string;
  readonly parent?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: number;
  readonly attributes: Readonly<Record<string, string | number>>;
}

let folder: string;
let database: TestDatabase;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mkt-tracing-'));
  database = await createDatabase();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database?.drop();
});

/** Of OpenTelemetry. */
const [unset, failed] = [0, 2];

const register = pathToFileURL(join(import.meta.dirname, 'fixtures/register-tracer.mjs')).href;

describe.each(['sqlite', 'postgresql'])('with the SDK of OpenTelemetry: %s', (system) => {
  test('a request is a span of the caller’s trace, and its statements are spans below it', async () => {
    const file = join(folder, `${system}.jsonl`);
    const db = system === 'sqlite' ? join(folder, 'kept.db') : database.url;
    const flags = ['--port', '0', '--json', '--seed', 'demo', '--db', db];
    const run = new Run(flags, { NODE_OPTIONS: `--import ${register}`, TEST_SPANS: file });
    const spans = () =>
      readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Span);
    try {
      const url = await urlOf(run);
      const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
      const response = await fetch(`${url}/organizations/5/campaigns/1.json?secret=x`, {
        headers: {
          accept: 'application/json',
          authorization: 'Bearer mkt_demo_ada_write',
          traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
        },
      });
      expect(response.status).toBe(200);
      const ofTrace = await vi.waitFor(() => {
        const found = spans().filter((span) => span.traceId === traceId);
        expect(found.some(({ kind }) => kind === 1)).toBe(true);
        return found;
      });
      const [request, ...more] = ofTrace.filter(({ kind }) => kind === 1);
      expect(more).toEqual([]);
      expect(request).toMatchObject({
        name: 'GET campaigns.get',
        parent: '00f067aa0ba902b7',
        status: unset,
        attributes: {
          'http.request.method': 'GET',
          'http.response.status_code': 200,
          'url.path': '/organizations/5/campaigns/1.json',
          'mkt.operation': 'campaigns.get',
        },
      });
      const statements = ofTrace.filter(({ kind }) => kind === 2);
      expect(statements.map(({ name }) => name)).toContain('campaigns.get');
      for (const { parent, attributes } of statements) {
        expect(parent).toBe(request?.id);
        expect(attributes['db.system.name']).toBe(system);
        expect(attributes['db.query.text']).toMatch(/^(select|pragma)/i);
      }
      // No values, so no secrets.
      expect(JSON.stringify(spans())).not.toMatch(/mkt_demo|secret=x/);

      expect((await send(url, 'ada_write', 'PATCH', '/organizations/5/campaigns/1.json', {})).status).toBeLessThan(500);
      expect(spans().some(({ name }) => name === 'PATCH campaigns.update')).toBe(true);

      const rename = 'alter table social_accounts rename to renamed';
      if (system === 'postgresql') await database.query(rename);
      else {
        const connection = (await sqliteDriver()).open(db);
        connection.exec(rename);
        connection.close();
      }
      expect((await send(url, 'ada_write', 'GET', '/me/social_accounts.json')).status).toBe(503);
      const broken = await vi.waitFor(() => {
        const found = spans().find(({ name }) => name === 'GET socialAccounts.list');
        expect(found).toMatchObject({ status: failed, attributes: { 'http.response.status_code': 503 } });
        return found;
      });
      const below = spans().filter(({ parent }) => parent === broken?.id);
      expect(below.map(({ status }) => status)).toContain(failed);
      expect(below.some(({ status }) => status === unset)).toBe(true);
    } finally {
      await run.stop();
    }
  });
});
