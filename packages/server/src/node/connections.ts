import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionOptions {
  /** Milliseconds in which a client must read some of a response that waits for it. */
  readonly writeTimeout: number;
}

/** Bytes that may wait for their readers in all connections together before `hurriedTimeout` applies. */
const waitingLimit = 64 * 1024 * 1024;
const hurriedTimeout = 2000;

/** What Node's own socket timeout uses to see progress inside a single large write. */
type WithHandle = Socket & { readonly _handle?: { readonly writeQueueSize: number } | null };

/** A connection with a response that its client has not read completely. */
interface Waiting {
  unsent: number;
  /** When the client last read something, by `performance.now()`. */
  since: number;
}

/**
 * The open connections of a server. Disconnects clients that stop reading: their responses stay in memory until then.
 * Looks at all of them once a second instead of having a timer for each request.
 */
export class Connections {
  readonly #sockets = new Set<Socket>();
  readonly #waiting = new WeakMap<Socket, Waiting>();

  constructor(server: Server, { writeTimeout }: ConnectionOptions) {
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    const timer = setInterval(() => this.#disconnectStalled(writeTimeout), Math.min(1000, writeTimeout / 2)).unref();
    server.once('close', () => clearInterval(timer));
  }

  /** Whether a response waits for its client to read it. */
  get areSending(): boolean {
    for (const socket of this.#sockets) if (socket.writableLength > 0) return true;
    return false;
  }

  #disconnectStalled(writeTimeout: number): void {
    const now = performance.now();
    let total = 0;
    for (const socket of this.#sockets) total += socket.writableLength;
    if (total === 0) return;
    const timeout = total > waitingLimit ? Math.min(hurriedTimeout, writeTimeout) : writeTimeout;
    for (const socket of this.#sockets) {
      if (socket.writableLength === 0) this.#waiting.delete(socket);
      else if (now - this.#stalledSince(socket, now) >= timeout) socket.destroy();
    }
  }

  #stalledSince(socket: WithHandle, now: number): number {
    const unsent = socket._handle?.writeQueueSize ?? socket.writableLength;
    const before = this.#waiting.get(socket);
    if (before?.unsent === unsent) return before.since;
    this.#waiting.set(socket, { unsent, since: now });
    return now;
  }
}
