import { type AddressInfo, connect, createServer } from 'node:net';

export interface RoundRobin {
  readonly url: string;
  /** Sends no new connection there, as a load balancer does when `/readyz` is 503. */
  remove(port: number): void;
  add(port: number): void;
  close(): Promise<void>;
}

/** A load balancer: each connection goes to the next one of these ports. */
export async function roundRobin(ports: readonly number[]): Promise<RoundRobin> {
  const targets = [...ports];
  let next = 0;
  const server = createServer((near) => {
    const far = connect(targets[next++ % targets.length] as number, '127.0.0.1');
    near.pipe(far).pipe(near);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (port) => targets.push(port),
    remove: (port) => targets.splice(targets.indexOf(port), 1),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
