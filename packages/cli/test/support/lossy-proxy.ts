import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * What becomes of a creation: `pass`; `lose` (the service carries it out, the answer never arrives); `swallow` (it never
 * reaches the service, and the connection breaks); `hang` (it is carried out, and nothing comes); `void` (neither is it
 * carried out, nor does anything come); or an answer in the service's place.
 */
export type Fate = 'pass' | 'lose' | 'swallow' | 'hang' | 'void' | { readonly status: number; readonly body: string };

export interface LossyProxy {
  readonly url: string;
  /** Bodies of the creations that came, in their order. */
  readonly creations: readonly string[];
}

const bodyOf = async (message: IncomingMessage): Promise<Buffer> => {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts);
};

/** A door to a service that loses some of its answers to POST requests. @param fateOf by the number of the creation, from 0 @param after a concurrent test hands in its own */
export async function lossyProxy(
  target: string,
  fateOf: (creation: number, body: string) => Fate,
  after = onTestFinished,
): Promise<LossyProxy> {
  const creations: string[] = [];
  const forward = (asked: IncomingMessage, body: Buffer): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { method, url: path = '', headers } = asked;
      request(new URL(path, target), { method, headers }, resolve).on('error', reject).end(body);
    });
  const answer = async (asked: IncomingMessage, answered: ServerResponse): Promise<void> => {
    const body = await bodyOf(asked);
    const isCreation = asked.method === 'POST';
    if (isCreation) creations.push(body.toString('utf8'));
    const fate = isCreation ? fateOf(creations.length - 1, body.toString('utf8')) : 'pass';
    if (typeof fate === 'object') {
      answered.writeHead(fate.status, { 'content-type': 'text/plain' }).end(fate.body);
      return;
    }
    if (fate === 'swallow') {
      asked.socket.destroy();
      return;
    }
    if (fate === 'void') return;
    const reply = await forward(asked, body);
    const content = await bodyOf(reply);
    if (fate === 'lose') asked.socket.destroy();
    else if (fate === 'pass') answered.writeHead(reply.statusCode ?? 500, reply.headers).end(content);
  };
  const server = createServer((asked, answered) => {
    void answer(asked, answered);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, creations };
}
