import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port of 127.0.0.1 that was free a moment ago, for programs that do not report which port they chose. */
export async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}
