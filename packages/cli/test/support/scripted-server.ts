import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What a server that departs from the contract answers. */
export interface Scripted {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text as it is; anything else as JSON. */
  readonly body?: unknown;
}

type Answer = Scripted | 'drop' | 'hang';
type Script = (request: IncomingMessage, body: string) => Answer | Promise<Answer>;

async function answer(script: Script, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const scripted = await script(request, Buffer.concat(parts).toString('utf8'));
  if (scripted === 'hang') return;
  if (scripted === 'drop') {
    request.socket.destroy();
    return;
  }
  const { status = 200, headers = {}, body } = scripted;
  // Without the time of this machine, which is not that of a test.
  response.sendDate = false;
  const text = typeof body === 'string';
  response.writeHead(status, { 'content-type': text ? 'text/plain' : 'application/json', ...headers });
  response.end(body === undefined ? '' : text ? body : JSON.stringify(body));
}

/** A real HTTP server on a free port that answers by script; gives its address. */
export async function scriptedServer(script: Script): Promise<string> {
  const server = createServer((request, response) => {
    void answer(script, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
