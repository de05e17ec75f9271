import type { AddressInfo, Server } from 'node:net';
import { ServeError } from './errors.js';

/**
 * Opens a port. `flag` is the one that sets it.
 * @returns the URL, such as `http://127.0.0.1:4010`
 * @throws {ServeError}
 */
export async function listen(server: Server, host: string, port: number, flag = '--port'): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port, flag)));
    server.listen(port, host, () => resolve());
  });
  const { address, port: opened } = server.address() as AddressInfo;
  return `http://${address.includes(':') ? `[${address}]` : address}:${opened}`;
}

function listenError({ code, message }: NodeJS.ErrnoException, host: string, port: number, flag: string): ServeError {
  if (code === 'EADDRINUSE')
    return new ServeError(
      `Port ${port} on ${host} is in use. Choose another with ${flag}, or ${flag} 0 for a free one.`,
    );
  if (code === 'EACCES') return new ServeError(`Port ${port} requires more privileges. Choose a port from 1024 up.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new ServeError(
      `${host} is not an address of this machine. Use ${flag.replace('port', 'host')} 127.0.0.1, for example.`,
    );
  return new ServeError(`Cannot listen on ${host}:${port}: ${message}.`);
}
