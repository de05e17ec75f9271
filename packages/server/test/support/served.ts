import { type Dump, demoSeed, demoTokens } from '../../src/index.js';
import { serve } from '../../src/node/index.js';
import type { Store } from '../../src/store/store.js';
import type { IdFormat } from '../../src/store/tables.js';
import { Run } from './command.js';
import { openTestStore, type StoreKind } from './stores.js';

export interface Served {
  /** The store behind the servers, over a connection of its own: to set the stage, and to see what became of it. */
  readonly store: Store;
  readonly urls: readonly string[];
  readonly stop: () => Promise<void>;
}

/**
 * The demo data, served: by two processes on one database, or by this process where the data is in its memory.
 */
export async function served(kind: StoreKind, seed: Dump = demoSeed(), ids: IdFormat = 'integer'): Promise<Served> {
  const opened = await openTestStore(kind, ids);
  const { store } = opened;
  await store.load(seed);
  if (kind === 'memory') {
    const server = await serve({ store, port: 0 });
    return { store, urls: [server.url], stop: () => server.close() };
  }
  const runs = [0, 1].map(() => new Run(['--port', '0', '--json', '--db', opened.db]));
  const stop = async () => {
    await Promise.all(runs.map((run) => run.stop()));
    await opened.dispose();
  };
  try {
    return { store, urls: await Promise.all(runs.map(urlOf)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The first line of a run that was started with `--json`. */
export async function readyLine(run: Run): Promise<{ readonly url: string; readonly metrics?: string }> {
  await run.printed('\n');
  return JSON.parse(run.stdout.slice(0, run.stdout.indexOf('\n')));
}

/** Where a run that was started with `--json` listens. */
export const urlOf = async (run: Run): Promise<string> => (await readyLine(run)).url;

export type Person = keyof typeof demoTokens;

export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape.
  readonly body: any;
}

/** One JSON request over a real socket. */
export async function send(url: string, who: Person, method: string, path: string, body?: unknown): Promise<Reply> {
  const response = await fetch(`${url}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${demoTokens[who]}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}
