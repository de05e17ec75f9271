import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * What happens to a POST: `pass`; `lose` (the service processes it, and the connection breaks before the response);
 * `swallow` (the connection breaks before the service gets it); `hang` (the service processes it, and no response comes);
 * `void` (the service does not get it, and no response comes); or a response of the proxy.
 */
export type Fault = 'pass' | 'lose' | 'swallow' | 'hang' | 'void' | { readonly status: number; readonly body: string };

export interface LossyProxy {
  readonly url: string;
  /** Bodies of all POST requests, in order. */
  readonly creations: readonly string[];
}

const bodyOf = async (message: IncomingMessage): Promise<Buffer> => {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts);
};

/**
 * A proxy that loses some requests or responses of POST.
 * @param faultOf by the number of the POST, from 0
 * @param after the hook of a concurrent test
 */
export async function lossyProxy(
  target: string,
  faultOf: (creation: number, body: string) => Fault,
  after = onTestFinished,
): Promise<LossyProxy> {
  const creations: string[] = [];
  const forward = (request: IncomingMessage, body: Buffer): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { method, url: path = '', headers } = request;
      send(new URL(path, target), { method, headers }, resolve).on('error', reject).end(body);
    });
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request);
    const isCreation = request.method === 'POST';
    if (isCreation) creations.push(body.toString('utf8'));
    const fault = isCreation ? faultOf(creations.length - 1, body.toString('utf8')) : 'pass';
    if (typeof fault === 'object') {
      response.writeHead(fault.status, { 'content-type': 'text/plain' }).end(fault.body);
      return;
    }
    if (fault === 'swallow') {
      request.socket.destroy();
      return;
    }
    if (fault === 'void') return;
    const reply = await forward(request, body);
    const content = await bodyOf(reply);
    if (fault === 'lose') request.socket.destroy();
    else if (fault === 'pass') response.writeHead(reply.statusCode ?? 500, reply.headers).end(content);
  };
  const server = createServer((request, response) => {
    void respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, creations };
}
