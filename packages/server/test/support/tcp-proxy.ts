import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** Lets nothing through anymore, in either direction, as a network that drops packets. */
  stall(): void;
  /** Stalls as soon as this text has gone through to the target: its answer never comes. */
  stallAfter(text: string): void;
  /** Lets everything through again. */
  resume(): void;
  /** Ends all connections and leads new ones to another port, as a balancer does when the target has moved. */
  moveTo(target: number): void;
  close(): Promise<void>;
}

/** A door to another port on this machine, which can be made to hang. */
export async function tcpProxy(target: number): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let stalled = false;
  let last: string | null = null;
  let to = target;
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const socket of pair) {
      const other = socket === near ? far : near;
      socket.on('data', (data) => {
        other.write(data);
        if (last !== null && socket === near && data.includes(last)) stall();
      });
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        other.destroy();
        pairs.delete(pair);
      });
      if (stalled) socket.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const all = () => [...pairs].flat();
  const stall = () => {
    stalled = true;
    for (const socket of all()) socket.pause();
  };
  return {
    port: (server.address() as AddressInfo).port,
    stall,
    stallAfter(text) {
      last = text;
    },
    resume() {
      stalled = false;
      last = null;
      for (const socket of all()) socket.resume();
    },
    moveTo(next) {
      to = next;
      for (const socket of all()) socket.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of all()) socket.destroy();
      }),
  };
}
