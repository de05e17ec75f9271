import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type NetworkFault, passThrough } from './network-faults.js';

/** A proxy to a server on this machine behind which the network is bad. */
export interface ChaosProxy {
  readonly url: string;
  /** Connections since the last plan over which a client has sent something: one that gave up while connecting sent nothing. */
  readonly connections: number;
  /** What becomes of the next connections, counted from 0. All pass at first. */
  plan(faultFor: (connection: number) => NetworkFault): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** @param target address of the real server, such as `http://127.0.0.1:4010`. */
export async function chaosProxy(target: string): Promise<ChaosProxy> {
  const sockets = new Set<Socket>();
  const kept = (socket: Socket): Socket => {
    sockets.add(socket);
    // Broken connections are the purpose here.
    socket.on('error', () => socket.destroy());
    return socket.on('close', () => sockets.delete(socket));
  };
  const { hostname, port } = new URL(target);
  let faultFor: (connection: number) => NetworkFault = () => passThrough;
  let connections = 0;
  let accepted = 0;

  const proxy = createServer((client) => {
    client.setNoDelay();
    client.once('data', () => connections++);
    faultFor(accepted++)(kept(client), () => {
      const server = kept(connect(Number(port), hostname));
      client.on('close', () => server.destroy());
      return server;
    });
  });
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));

  const close = (): Promise<void> =>
    new Promise((closed) => {
      proxy.close(() => closed());
      for (const socket of sockets) socket.destroy();
    });
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    plan(next) {
      faultFor = next;
      connections = 0;
      accepted = 0;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
