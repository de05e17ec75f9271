import { readFileSync } from 'node:fs';
import type { AppOptions } from '../app.js';
import { isLoopbackAddress } from '../http/cors.js';
import { randomText } from '../random.js';
import type { Store } from '../store/store.js';
import { ServeError } from './errors.js';
import type { Log } from './logs.js';
import { openStore } from './open-store.js';
import { plainLog } from './plain-log.js';
import { plainly } from './plainly.js';
import { onceText, type Ready, readyLine, readyText, shownDb } from './ready-message.js';
import { bringsDemoTokens, holdsDemoTokens, type Seed, seedNamed, sow } from './seeding.js';
import { serve } from './serve.js';

/** What the flags of `mkt serve` say. */
export interface RunOptions extends Pick<AppOptions, 'baseUrl' | 'allowHosts' | 'cors' | 'pageSize' | 'rateLimit'> {
  readonly port: number;
  readonly host: string;
  readonly db: string;
  readonly dbConnections?: number;
  readonly seed?: string;
  readonly latency: number;
  /** This one and the two timeouts are milliseconds. */
  readonly drainDelay: number;
  readonly idleTimeout: number;
  readonly writeTimeout: number;
  readonly maxConnections: number;
  readonly prefillAllow: readonly string[];
  /** By default for data in memory, on this machine alone. */
  readonly control?: boolean;
  /** Random by default. */
  readonly controlToken?: string;
  readonly metrics: boolean;
  /** The file that successful writes are recorded in. */
  readonly audit?: string;
  readonly output: 'text' | 'json' | 'quiet';
}

/** What a run touches outside itself. */
export interface ServeIo {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** Stops the server when it aborts; by default SIGINT and SIGTERM do. */
  readonly stop?: AbortSignal;
}

/** Longer than a drain ever takes: a store that does not close must not keep the process. */
const lastResort = 10_000;

/**
 * Starts the server, says where it is, and serves until it is told to stop.
 * @throws {ServeError} when it cannot start; nothing was changed then.
 */
export async function run(options: RunOptions, io: ServeIo): Promise<void> {
  const {
    db,
    dbConnections,
    seed: seedName = db === 'memory:' ? 'demo' : 'empty',
    output,
    metrics,
    audit,
    control: wantsControl,
    controlToken = randomText(24),
    ...app
  } = options;
  const { host } = app;
  if (!/^[!-~]+$/.test(controlToken))
    throw new ServeError('The control token must be one word of letters, digits and signs, or nobody can send it.');
  const seed = await seedNamed(seedName, new Date().toISOString().replace(/\.\d+Z$/, 'Z'));
  const isPublic = !isLoopbackAddress(host);
  const control = (wantsControl ?? (db === 'memory:' && !isPublic)) && { token: controlToken, seed: () => seed.dump };
  let seeded: Seed | null = null;

  const openAndSow = async (): Promise<Store> => {
    const store = await openStore(db, { ...(dbConnections && { connections: dbConnections }) });
    try {
      const brings = (await store.isEmpty()) && bringsDemoTokens(seed);
      if (isPublic && (brings || (await holdsDemoTokens(store)))) throw demoInPublic(host);
      seeded = (await sow(store, seed)) ? seed : null;
      return store;
    } catch (error) {
      await store.close();
      throw error;
    }
  };

  // Known before anything is opened or created.
  if (isPublic && db === 'memory:' && bringsDemoTokens(seed)) throw demoInPublic(host);
  const log = await logFor(output, io);
  const recorded = audit !== undefined && {
    audit: await (await import('./audit-file.js')).auditFile(audit, (message) => log.warned?.(message)),
  };
  const server = await plainly(async () =>
    serve({
      ...app,
      ...recorded,
      maxConnections: Math.min(options.maxConnections, connectionsFor(descriptorLimit())),
      store: openAndSow,
      ...(control && { control }),
      log,
      // A secret has no flag: other users of the machine see what a command was given.
      ...(process.env.MKT_SERVE_SESSION_SECRET && { sessionSecret: process.env.MKT_SERVE_SESSION_SECRET }),
      ...(metrics && { metrics: (await import('./metrics.js')).createMetrics() }),
    }),
  );

  const ready: Ready = {
    url: server.url,
    baseUrl: options.baseUrl ?? null,
    db: shownDb(db),
    seeded,
    control: control ? { url: `${server.url}/__mkt/v1`, token: control.token } : null,
  };
  // Before anybody knows of it: who reads that it is ready may stop it at once.
  const end = stopped(io.stop);
  const text = { json: readyLine, text: readyText, quiet: onceText }[output](ready);
  if (text !== '') io.stdout.write(text);

  log.stopping(await end);
  if (!io.stop) setTimeout(() => process.exit(0), options.drainDelay + lastResort).unref();
  await server.close();
}

/** The limit of open files, where the system has it in a file (Linux). */
function descriptorLimit(): number {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Number.NaN);
  } catch {
    return Number.NaN;
  }
}

/** Clients must not use up what the store and modules that are loaded later need. */
const connectionsFor = (descriptors: number): number =>
  Number.isNaN(descriptors) ? Number.POSITIVE_INFINITY : Math.max(descriptors - 100, 10);

const demoInPublic = (host: string): ServeError =>
  new ServeError(
    `The demo data is not served on ${host}, where others can reach it: its tokens are public knowledge. ` +
      'Use --seed empty, which makes one random token, or leave --host out.',
  );

const logFor = async (output: RunOptions['output'], { stdout, stderr }: ServeIo): Promise<Log> =>
  output === 'json' ? (await import('./logs.js')).jsonLog(stdout) : plainLog(stderr);

/** The name of what asked for the end. A second signal is left to Node, which ends the process at once. */
const stopped = (stop: AbortSignal | undefined): Promise<string> =>
  new Promise((resolve) => {
    if (stop) {
      if (stop.aborted) resolve('stop');
      else stop.addEventListener('abort', () => resolve('stop'), { once: true });
    } else for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(signal));
  });
