import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

export interface TestDatabase {
  readonly url: string;
  /** Runs one statement over a connection of its own. */
  readonly query: (text: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>;
  readonly drop: () => Promise<void>;
}

/** A new, empty database on the run's PostgreSQL server (see postgres-server.ts). */
export async function createDatabase(): Promise<TestDatabase> {
  const answer = await fetch(inject('postgresDoor'));
  const server = await answer.text();
  if (!answer.ok) throw new Error(server);
  const name = `mkt_test_${randomBytes(6).toString('hex')}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  await query(server, `create database ${name} encoding 'UTF8' template template0 strategy file_copy`);
  return {
    url: url.href,
    query: (text, values) => query(url.href, text, values),
    drop: async () => {
      await query(server, `drop database if exists ${name} with (force)`);
    },
  };
}

/** The same of a user who may not create extensions. */
export async function createLimitedDatabase(): Promise<TestDatabase> {
  const { url, query: asAdmin, drop } = await createDatabase();
  const limited = new URL(url);
  limited.username = `user_${limited.pathname.slice(-12)}`;
  limited.password = 'secret';
  await asAdmin(`create role ${limited.username} login password 'secret'`);
  await asAdmin(`grant create on schema public to ${limited.username}`);
  return {
    url: limited.href,
    query: (text, values) => query(limited.href, text, values),
    drop: async () => {
      await asAdmin(`drop owned by ${limited.username} cascade`);
      await asAdmin(`drop role ${limited.username}`);
      await drop();
    },
  };
}

async function query(url: string, text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(text, [...values])).rows;
  } finally {
    await client.end();
  }
}
