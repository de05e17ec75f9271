import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { isLoopbackAddress } from '../loopback.js';
import { sqliteDriver } from '../store/sql/sqlite-driver.js';
import type { Dump, PersistentStore, Store } from '../store/store.js';
import type { IdFormat } from '../store/tables.js';
import { appendTo, auditFile, auditLogFile } from './audit-file.js';
import { hasDescriptors, tooFewDescriptors } from './descriptors.js';
import { fileReason, ServeError, withServeErrors } from './errors.js';
import { jsonLog, type Log, losingLines, type Output, textLog } from './logs.js';
import { isSqliteFile, openStore } from './open-store.js';
import { checkOwnFile, isSameFile } from './own-file.js';
import { type Ready, type ReadyAdditions, readyJson, readyText, shownDb, tokenText } from './ready-message.js';
import { readSeed, type Seed, seedHasDemoTokens, storeHasDemoTokens } from './seeding.js';
import { type ServeOptions, serve } from './serve.js';

type SharedOptions = Pick<
  ServeOptions,
  'addressHeader' | 'baseUrl' | 'cors' | 'like' | 'pageSize' | 'rateLimit' | 'prefillAllow'
> &
  Required<
    Pick<
      ServeOptions,
      'port' | 'host' | 'latency' | 'drainDelay' | 'idleTimeout' | 'writeTimeout' | 'maxConnections' | 'maxBodyMemory'
    >
  >;

/** The flags of `mkt serve`, as commander names them. */
export interface ServeFlags extends SharedOptions {
  readonly allowHost?: readonly string[];
  readonly db: string;
  readonly dbConnections?: number;
  readonly connectTimeout?: number;
  readonly seed?: string;
  /** By default those of the store; in a new one those of the seed, else integers. */
  readonly ids?: IdFormat;
  readonly metricsPort?: number;
  readonly metricsHost?: string;
  /** The file of the audit log. */
  readonly audit?: string;
  readonly tokenFile?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** What a program adds to the command that runs the server. */
export interface ServeAddition<Flags extends object = object> {
  /** Adds flags, after those of the network. */
  readonly addFlags: (command: Command) => void;
  /** Called before anything is opened. `seed` are the rows of the seed. @throws {ServeError} */
  readonly prepare: (flags: ServeFlags & Flags, seed: () => Dump) => PreparedAddition;
}

export interface PreparedAddition extends Pick<ServeOptions, 'extend'> {
  /** Adds to the ready message of the server that listens at `url`. */
  readonly ready: (url: string) => ReadyAdditions;
}

export interface ServeIo {
  readonly stdout: Output;
  readonly stderr: Output;
  /** Stops the server; by default SIGINT and SIGTERM do. */
  readonly stop?: AbortSignal;
  readonly addition?: ServeAddition;
  /** Called when the server listens, before the ready message. */
  readonly onReady?: (ready: Ready) => Promise<void>;
}

const ownTokenFile = { option: '--token-file', kind: 'a token file', beginning: /^[\w.~+/-]{8,255}(\r?\n|$)/ };

/** Longer than draining takes. Ends the process even if the store does not close. */
const exitTimeout = 10_000;

/**
 * Starts the server, prints where it is, and serves until it is stopped.
 * @throws {ServeError} if it cannot start; nothing was changed then
 */
export async function run(flags: ServeFlags, io: ServeIo): Promise<void> {
  const {
    db,
    dbConnections,
    connectTimeout,
    seed: seedName = db === 'memory:' ? 'demo' : 'empty',
    ids,
    allowHost: allowHosts = [],
    json = false,
    quiet = false,
    metricsPort,
    metricsHost,
    audit,
    tokenFile,
    ...app
  } = flags;
  if (metricsHost !== undefined && metricsPort === undefined)
    throw new ServeError('--metrics-host needs --metrics-port, such as --metrics-port 9464.');
  if (!hasDescriptors()) throw new ServeError(tooFewDescriptors);
  const { host } = app;
  const addition = io.addition?.prepare(flags, () => seed.dump);
  let seed = await readSeed(seedName, ids);
  const { pageSize = seed.pageSize } = flags;
  const isPublic = !isLoopbackAddress(host);
  let seeded: Seed | null = null;
  let protection = null as PersistentStore['protection'];

  const openSeededStore = async (): Promise<Store> => {
    const wantedIds = ids ?? (seed.ids === 'opaque' ? seed.ids : undefined);
    const store: Store & Pick<PersistentStore, 'protection'> = await openStore(db, {
      connections: dbConnections,
      connectTimeout,
      ids: wantedIds,
      report: (message) => log.warned?.(message),
    });
    try {
      if (store.ids !== seed.ids) seed = await readSeed(seedName, store.ids);
      if (isPublic && seedHasDemoTokens(seed) && (await store.isEmpty())) throw demoInPublic(host);
      seeded = (await store.fill(seed.dump)) ? seed : null;
      if (isPublic && (await storeHasDemoTokens(store))) throw demoInPublic(host);
      if (seeded && tokenFile !== undefined) {
        await appendTo(tokenFile, 'The token file', `${Object.values(seed.tokens).join('\n')}\n`);
        seeded = { ...seed, name: tokenFile, tokens: {} };
      }
      protection = store.protection ?? null;
      if (protection?.isWeak) log.warned?.(protection.text);
      return store;
    } catch (error) {
      await store.close();
      throw error;
    }
  };

  // Rejected before anything is opened or created.
  if (isPublic && db === 'memory:' && seedHasDemoTokens(seed)) throw demoInPublic(host);
  if (audit !== undefined) checkOwnFile(audit, auditLogFile, db);
  if (tokenFile !== undefined) {
    checkOwnFile(tokenFile, ownTokenFile, db);
    if (audit !== undefined && isSameFile(audit, tokenFile))
      throw new ServeError(`${tokenFile} is the file of --audit. Give --token-file another file.`);
    await appendTo(tokenFile, 'The token file');
  }
  const [stdout, stderr] = [io.stdout, io.stderr].map((output) =>
    losingLines(output, (lost, error) =>
      log.warned?.(`${lost} lines of the log could not be written since the start: ${fileReason(error)}.`),
    ),
  ) as [Output, Output];
  const log: Log = json ? await jsonLog(stdout) : textLog(stderr);
  const auditLog = audit !== undefined && { audit: await auditFile(audit, (message) => log.warned?.(message)) };
  const server = await withServeErrors(async () =>
    serve({
      ...app,
      ...(pageSize !== undefined && { pageSize }),
      allowHosts,
      ...auditLog,
      maxConnections: Math.min(flags.maxConnections, connectionLimit()),
      store: openSeededStore,
      ...(addition?.extend && { extend: addition.extend }),
      log,
      // Secrets have no flag, because other users of the machine can see command lines.
      ...(process.env.MKT_SERVE_SESSION_SECRET && { sessionSecret: process.env.MKT_SERVE_SESSION_SECRET }),
      ...(metricsPort !== undefined && { metrics: { port: metricsPort, ...(metricsHost && { host: metricsHost }) } }),
    }),
  );

  const ready: Ready = {
    url: server.url,
    metricsUrl: server.metricsUrl,
    baseUrl: flags.baseUrl ?? null,
    db: shownDb(db),
    driver: isSqliteFile(db) ? (await sqliteDriver()).name : null,
    seeded,
    protection: protection?.isWeak === false ? protection.text : null,
    additions: addition?.ready(server.url) ?? { json: {}, rows: [] },
  };
  // Before the ready message, because its reader may stop the server immediately.
  const stopped = stopSignal(io.stop);
  const text = (json ? readyJson : quiet ? tokenText : readyText)(ready);
  await io.onReady?.(ready);
  if (text !== '') stdout.write(text);

  log.stopping(await stopped);
  if (!io.stop) setTimeout(() => process.exit(0), flags.drainDelay + exitTimeout).unref();
  await server.close();
}

/** Reserves file descriptors for the store and for modules that are loaded later. The limit is only known on Linux. */
function connectionLimit(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? Number.POSITIVE_INFINITY : Math.max(Number(limit) - 100, 10);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

const demoInPublic = (host: string): ServeError =>
  new ServeError(
    `The demo data cannot be served on ${host}, which other machines can reach, because its tokens are public. ` +
      'Use --seed empty, which creates one random token, or omit --host.',
  );

const stopSignals = ['SIGINT', 'SIGTERM'] as const;

/** Resolves with the reason why the server stops. A second signal ends the process immediately, as is Node's default. */
const stopSignal = (stop: AbortSignal | undefined): Promise<string> =>
  new Promise((resolve) => {
    if (stop?.aborted) resolve('stop');
    else if (stop) stop.addEventListener('abort', () => resolve('stop'), { once: true });
    const onSignal = (signal: string): void => {
      for (const each of stopSignals) process.off(each, onSignal);
      resolve(signal);
    };
    if (!stop) for (const each of stopSignals) process.on(each, onSignal);
  });
