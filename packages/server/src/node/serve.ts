import { hash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { type AppOptions, createApp } from '../app.js';
import type { Dump, Store } from '../store/store.js';
import { plainPages } from '../web/pages.js';
import { ServeError } from './errors.js';

export interface ServeOptions extends Partial<Omit<AppOptions, 'store' | 'listening'>> {
  readonly store: Store;
  /** What an empty store is filled with. */
  readonly seed?: Dump;
  /** 0 picks a free one; 4010 by default. */
  readonly port?: number;
  /** 127.0.0.1 by default: this machine only. */
  readonly host?: string;
}

/** A running server. */
export interface Server {
  /** Where it listens, such as `http://127.0.0.1:4010`. */
  readonly url: string;
  /** Takes no more requests, finishes the running ones (within 10 s), closes the store. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const drainSeconds = 10;

/** SHA-256 in hex by Node's own code: the portable one of the app is ten times slower on a page of JSON. */
const nodeSha256 = (text: string): string => hash('sha256', text, 'hex');

/**
 * Serves the app over HTTP.
 * @throws {ServeError} when the port is taken or may not be used
 */
export async function serve(options: ServeOptions): Promise<Server> {
  const { store, seed, port = 4010, host = '127.0.0.1', ...app } = options;
  if (seed && (await store.isEmpty())) await store.load(seed);

  let url: string | null = null;
  const { fetch } = createApp({ face: plainPages, sha256: nodeSha256, ...app, store, listening: () => url });
  const server = createAdaptorServer({ fetch: (request: Request, bindings: object) => fetch(request, bindings) });
  await new Promise<void>((listening, fail) => {
    server.once('error', (error: NodeJS.ErrnoException) => fail(cannotListen(error, host, port)));
    server.listen(port, host, () => listening());
  });
  const { address, port: bound, family } = server.address() as AddressInfo;
  url = `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`;

  const close = async (): Promise<void> => {
    const closed = new Promise<void>((done) => server.close(() => done()));
    if ('closeIdleConnections' in server) {
      server.closeIdleConnections();
      setTimeout(() => server.closeAllConnections(), drainSeconds * 1000).unref();
    }
    await closed;
    await store.close();
  };
  return { url, close, [Symbol.asyncDispose]: close };
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): ServeError {
  if (error.code === 'EADDRINUSE') {
    return new ServeError(`Port ${port} on ${host} is in use. Choose another with --port, or --port 0 for a free one.`);
  }
  if (error.code === 'EACCES')
    return new ServeError(`Port ${port} may not be used by this user. Choose one from 1024 on.`);
  return new ServeError(`Cannot listen on ${host}:${port}: ${error.message}.`);
}
