import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgresStore } from '../src/store/sql/postgres.js';
import { Run } from './support/command.js';
import { createDatabase } from './support/postgres.js';
import { type PostgresServer, startPostgres } from './support/postgres-server.js';
import { urlOf } from './support/served.js';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
if (!hasOpenssl) console.warn('openssl is not installed here, so TLS to PostgreSQL was not tested.');

describe.runIf(hasOpenssl)('a PostgreSQL with TLS', () => {
  let folder: string;
  let server: PostgresServer;

  const certificate = (name: string) => join(folder, `${name}.pem`);
  const make = (name: string) => {
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const out = ['-keyout', join(folder, `${name}.key`), '-out', certificate(name)];
    execFileSync('openssl', ['req', '-x509', ...kind, ...subject, ...out], { stdio: 'ignore' });
  };
  const withQuery = (query: string, host = '127.0.0.1') => `${server.url.replace('127.0.0.1', host)}?${query}`;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mkt-tls-'));
    chmodSync(folder, 0o755);
    make('server');
    make('other');
    const key = join(folder, 'server.key');
    chmodSync(key, 0o600);
    if (process.getuid?.() === 0) chownSync(key, Number(execFileSync('id', ['-u', 'postgres'])), 0);
    server = await startPostgres('ssl=on', `ssl_cert_file=${certificate('server')}`, `ssl_key_file=${key}`);
  });
  afterAll(async () => {
    await server?.stop();
    if (hasOpenssl) rmSync(folder, { recursive: true });
  });

  /** Whether the store's connections are encrypted, as the database sees them. */
  const encrypted = async (url: string): Promise<boolean[]> => {
    const store = await postgresStore(url);
    const client = new pg.Client(server.url);
    await client.connect();
    try {
      await store.isEmpty();
      const { rows } = await client.query(
        "select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'mkt-server'",
      );
      return rows.map(({ ssl }) => ssl);
    } finally {
      await client.end();
      await store.close();
    }
  };

  test.each([
    ['sslmode=disable', false],
    ['sslmode=prefer', true],
    ['sslmode=require', true],
  ])('%s', async (query, expected) => {
    expect(await encrypted(withQuery(query))).toEqual([expected]);
  });

  test('without sslmode nothing is encrypted on this machine', async () => {
    expect(await encrypted(server.url)).toEqual([false]);
  });

  test('certificates are checked as the mode asks for', async () => {
    const root = `sslrootcert=${certificate('server')}`;
    expect(await encrypted(withQuery(`sslmode=verify-full&${root}`, 'localhost'))).toEqual([true]);
    // The certificate is for another name, which only verify-full looks at.
    expect(await encrypted(withQuery(`sslmode=verify-ca&${root}`))).toEqual([true]);
    expect(await encrypted(withQuery(`sslmode=require&${root}`))).toEqual([true]);
    await expect(postgresStore(withQuery(`sslmode=verify-full&${root}`))).rejects.toThrow(/cannot be used\. .*IP/);
    const other = `sslrootcert=${certificate('other')}`;
    for (const mode of ['require', 'verify-ca', 'verify-full'])
      await expect(postgresStore(withQuery(`sslmode=${mode}&${other}`, 'localhost'))).rejects.toThrow(/self-signed/);
    await expect(postgresStore(withQuery('sslmode=require&sslrootcert=/nowhere.pem'))).rejects.toThrow(/nowhere\.pem/);
  });

  test('a server warns at start if its connection is encrypted, but to any host', async () => {
    const run = new Run(['--port', '0', '--json', '--db', withQuery('sslmode=require')]);
    try {
      await urlOf(run);
      await run.printed('its certificate is not checked');
      expect(run.stdout).toContain('Add sslmode=verify-full to the database URL');
    } finally {
      await run.stop();
    }
  });
});

test('without TLS in the database, prefer connects without it and require does not', async () => {
  const plain = await createDatabase();
  try {
    const store = await postgresStore(`${plain.url}?sslmode=prefer`);
    expect([await store.isEmpty(), store.protection]).toEqual([true, null]);
    await store.close();
    await expect(postgresStore(`${plain.url}?sslmode=require`)).rejects.toThrow('does not support SSL connections');
  } finally {
    await plain.drop();
  }
});
