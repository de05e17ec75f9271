import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A port of this machine that nobody listens on, for what cannot be told to choose one itself. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
