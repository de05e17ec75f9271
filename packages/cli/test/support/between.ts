import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

interface Asked {
  readonly method: string;
  readonly path: string;
  /** What is passed on: a watch may change it. */
  readonly headers: IncomingHttpHeaders;
}

type Cut = 'drop' | number | { readonly status: number; readonly headers: Record<string, string> } | undefined;

/**
 * Sees each request before it is passed on, and each answer before it is given; `drop` cuts the connection, a number is the
 * status of the answer, which may have headers.
 */
export interface Watch {
  readonly before?: (asked: Asked) => Promise<Cut> | Cut;
  readonly after?: (asked: Asked, body: unknown) => unknown;
  /** A header of the answers that is left out. */
  readonly without?: string;
}

const bytesOf = async (request: IncomingMessage): Promise<Buffer<ArrayBuffer>> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
};

/** A real HTTP server between the command line and the service; gives its address. @param finished when it is closed */
export async function between(
  target: string,
  { before, after, without }: Watch,
  finished: (close: () => Promise<void>) => void = onTestFinished,
): Promise<string> {
  const server = createServer((request, response) => {
    void (async () => {
      const { host: _, 'content-length': __, connection: ___, ...headers } = request.headers;
      const asked = { method: request.method ?? 'GET', path: request.url ?? '/', headers };
      const body = await bytesOf(request);
      const cut = await before?.(asked);
      if (cut === 'drop') return request.socket.destroy();
      if (typeof cut === 'number') return response.writeHead(cut).end();
      if (cut !== undefined) return response.writeHead(cut.status, cut.headers).end();
      const answer = await fetch(`${target}${asked.path}`, {
        method: asked.method,
        headers: headers as Record<string, string>,
        redirect: 'manual',
        ...(body.length > 0 && { body }),
      }).catch(() => undefined);
      // The service was closed while a request of an interrupted command was on its way.
      if (answer === undefined) return request.socket.destroy();
      const text = await answer.text();
      const json = answer.headers.get('content-type')?.includes('json') === true && text !== '';
      const changed = after?.(asked, json ? JSON.parse(text) : text);
      if (changed === 'drop') return request.socket.destroy();
      const kept = [...answer.headers].filter(
        ([name]) => name !== without && !/^(content-length|transfer-encoding|connection)$/.test(name),
      );
      response.writeHead(answer.status, Object.fromEntries(kept));
      return response.end(changed === undefined ? text : JSON.stringify(changed));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  finished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
