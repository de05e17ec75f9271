import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the server saw it. */
export interface Seen {
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** One answer: what to do with a request. */
export type Step = (response: ServerResponse, request: Seen) => void | Promise<void>;

export interface ScriptedServer {
  url: string;
  /** Every request, in order of arrival. */
  seen: Seen[];
  /** Sockets that were opened so far. */
  sockets: () => number;
  close: () => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
}

/**
 * A real server that answers its first request by the first step, its second by the second, and so on; the last step
 * answers all that follow.
 */
export async function scripted(...steps: readonly [Step, ...Step[]]): Promise<ScriptedServer> {
  const seen: Seen[] = [];
  let sockets = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const received = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks),
    };
    seen.push(received);
    const step = steps[Math.min(seen.length, steps.length) - 1];
    await step?.(response, received);
  });
  server.on('connection', () => {
    sockets += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, seen, sockets: () => sockets, close, [Symbol.asyncDispose]: close };
}

type HeaderValues = Readonly<Record<string, string>>;

/** Answers with JSON. */
export const json =
  (body: unknown, { status = 200, headers = {} }: { status?: number; headers?: HeaderValues } = {}): Step =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
    response.end(JSON.stringify(body));
  };

/** Answers with any text. */
export const text =
  (status: number, body: string, headers: HeaderValues = { 'content-type': 'text/plain' }): Step =>
  (response) => {
    response.writeHead(status, headers);
    response.end(body);
  };

/** Answers without a body. */
export const empty = (status: number, headers: HeaderValues = {}): Step => text(status, '', headers);

/** Redirects to `location`. */
export const redirect = (location: string, status = 303): Step => empty(status, { location });

/** Closes the connection without an answer. */
export const drop: Step = (response) => {
  response.socket?.destroy();
};

/** Sends the headers and half a body, then nothing more. */
export const stall: Step = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"id": 1, ');
};

/** Sends the headers and half a body, then closes the connection. */
export const truncate: Step = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"id": 1, ', () => response.socket?.destroy());
};

/** Never answers. */
export const hang: Step = () => undefined;

/** Waits before another step. */
export const after =
  (ms: number, step: Step): Step =>
  async (response, request) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    await step(response, request);
  };
