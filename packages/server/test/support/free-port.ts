import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A free port, for programs that cannot choose one themselves. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
