import type { Server as HttpServer } from 'node:http';
import { Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { networkOf } from './incoming.js';

/** Bytes that may wait for clients in all connections together before `shortTimeout` applies. */
const unsentLimit = 64 * 1024 * 1024;
const shortTimeout = 2000;
/** Bytes that a client must read in that time. Otherwise a few each second would keep all that waits for it in memory. */
const leastRead = 64 * 1024;

/** Milliseconds without a new connection before the port is closed, and how long responses wait for that. */
const quietTime = 100;
const maxHold = 2000;

/** Less than the 10 s after which the process ends: the store is closed in between. */
const drainTimeout = 9000;

type SocketOfNode = Socket & {
  /** Node's own socket timeout uses this to see progress inside a single large write. */
  readonly _handle?: { readonly writeQueueSize: number } | null;
  /** The response to the request that is in progress. */
  readonly _httpMessage?: object | null;
};

/**
 * The open connections and running requests of a server. Disconnects clients that stop reading, because their responses
 * stay in memory until then. It checks all of them once a second, which is cheaper than a timer for each request.
 */
export class Connections {
  readonly #sockets = new Set<Socket>();
  /** By the addresses of the clients; the socket whose last request began last is the last one. */
  readonly #byAddress = new Map<string, Set<Socket>>();
  /** Per socket: the number of bytes that its client has not read, and when the number last changed enough. */
  readonly #unsent = new WeakMap<Socket, { readonly bytes: number; readonly since: number }>();
  #accepted = 0;
  /** Until the port is closed, if it is about to be: responses wait for it. */
  held: Promise<void> | undefined;
  #requests = 0;
  #onIdle: () => void = () => undefined;

  /**
   * @param writeTimeout Milliseconds in which a client must read a part of a response that waits for it.
   * @param maxConnections One more, and an idle one is closed, of the address that has the most of them.
   * @param onFull Called when that is necessary, with the address.
   */
  constructor(
    private readonly server: HttpServer,
    writeTimeout: number,
    maxConnections: number,
    onFull: (address: string) => void,
  ) {
    server.on('connection', (socket: Socket) => {
      const address = networkOf(socket.remoteAddress ?? '');
      this.#accepted += 1;
      this.#sockets.add(socket);
      this.#byAddress.set(address, (this.#byAddress.get(address) ?? new Set()).add(socket));
      socket.once('close', () => this.#forget(socket, address));
      if (this.#sockets.size > maxConnections) onFull(this.#closeOne(socket));
    });
    const timer = setInterval(() => this.#disconnectStalled(writeTimeout), Math.min(1000, writeTimeout / 2)).unref();
    server.once('close', () => clearInterval(timer));
  }

  #forget(socket: Socket, address: string): void {
    this.#sockets.delete(socket);
    const own = this.#byAddress.get(address);
    if (own?.delete(socket) && own.size === 0) this.#byAddress.delete(address);
  }

  /** Closes the longest idle connection of the address with the most, or the new one if all of these have requests. */
  #closeOne(newest: Socket): string {
    const [address, own = []] = [...this.#byAddress].reduce((most, each) =>
      each[1].size > most[1].size ? each : most,
    );
    const closed = [...own].find((socket: SocketOfNode) => !socket._httpMessage) ?? newest;
    // Before it has closed, because others may connect until then.
    this.#forget(closed, closed === newest ? networkOf(newest.remoteAddress ?? '') : address);
    closed.destroy();
    return address;
  }

  /** Requests count until they are done, even if their clients have disconnected: they still need the store. */
  requestStarted(socket: Socket): void {
    this.#requests += 1;
    const own = this.#byAddress.get(networkOf(socket.remoteAddress ?? ''));
    if (own?.delete(socket)) own.add(socket);
  }

  requestEnded(): void {
    this.#requests -= 1;
    if (this.#requests === 0) this.#onIdle();
  }

  /**
   * Accepts no more connections, lets running requests finish and clients read their responses, and closes each
   * connection after its last response. Connections that are still open after 9 s are closed.
   *
   * @param waitsForQuiet whether the port stays open until no client connects
   */
  async drain(waitsForQuiet: boolean): Promise<void> {
    const { server } = this;
    // Node's `closeIdleConnections`, which its HTTP `close` calls first, also closes connections whose response is not
    // sent completely. So it is called only while there are none.
    const closeIdle = (): void => {
      // Their last response is sent, and only their clients' side is open.
      for (const socket of this.#sockets) if (socket.writableFinished) socket.destroy();
      if (![...this.#sockets].some((socket) => socket.writableLength > 0)) server.closeIdleConnections();
    };
    let release: () => void = () => undefined;
    if (waitsForQuiet) {
      this.held = new Promise((resolve) => {
        release = resolve;
      });
      await this.#noClientConnects();
    }
    const closed = new Promise<void>((done) => Server.prototype.close.call(server, () => done()));
    release();
    closeIdle();
    const timer = setInterval(closeIdle, 50);
    const cancel = new AbortController();
    const timeout = delay(drainTimeout, undefined, { signal: cancel.signal }).then(
      () => {
        for (const socket of this.#sockets) socket.destroy();
      },
      () => undefined,
    );
    await closed;
    clearInterval(timer);
    // Stops the timer of Node's HTTP server. The socket is closed already.
    server.close();
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
      if (this.#requests === 0) resolve();
    });
    await Promise.race([idle, timeout]);
    cancel.abort();
  }

  /**
   * Connections that this process has not accepted are reset with the port, with their requests. While responses wait, the
   * clients of earlier ones connect.
   */
  async #noClientConnects(): Promise<void> {
    const until = performance.now() + maxHold;
    for (let accepted = -1; accepted !== this.#accepted && performance.now() < until; ) {
      accepted = this.#accepted;
      await delay(quietTime);
      // After a pause of the process, connections are accepted only now.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #disconnectStalled(writeTimeout: number): void {
    const now = performance.now();
    let total = 0;
    for (const socket of this.#sockets) total += socket.writableLength;
    if (total === 0) return;
    const isFull = total > unsentLimit;
    const timeout = isFull ? Math.min(shortTimeout, writeTimeout) : writeTimeout;
    const least = isFull ? leastRead : 1;
    for (const socket of this.#sockets) {
      if (socket.writableLength === 0) this.#unsent.delete(socket);
      else if (now - this.#stalledSince(socket, now, least) >= timeout) socket.destroy();
    }
  }

  #stalledSince(socket: SocketOfNode, now: number, least: number): number {
    const bytes = socket._handle?.writeQueueSize ?? socket.writableLength;
    const before = this.#unsent.get(socket);
    if (before && Math.abs(before.bytes - bytes) < least) return before.since;
    this.#unsent.set(socket, { bytes, since: now });
    return now;
  }
}
