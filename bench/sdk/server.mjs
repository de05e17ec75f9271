// The server that all clients talk to, in a process of its own: the same object for everyone, and a list of 500 in 25 pages in each
// client's own way of paging. A page takes 40 ms.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Starts it. */
export async function localServer() {
  const child = fork(fileURLToPath(import.meta.url), ['serve']);
  const [port] = await once(child, 'message');
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill() };
}

export const total = 500;
const size = 20;

function start() {
  const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
  const exampleOf = (path) =>
    paths[`/organizations/{organization_id}/${path}`].get.responses['200'].content['application/json'].example;
  const one = exampleOf('campaigns/{id}.json');
  const [listed] = exampleOf('campaigns.json');
  const items = Array.from({ length: total }, (_, index) => ({ ...listed, id: index + 1 }));

  /** A list by cursor, as openai and stripe have it. */
  const cursorPage = (after) => {
    const data = items.slice(Number(after ?? 0), Number(after ?? 0) + size);
    return { object: 'list', url: '/v1/customers', data, has_more: data.at(-1)?.id < total };
  };
  const server = createServer(async ({ url, headers }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const send = (body, more = {}) =>
      response.writeHead(200, { 'content-type': 'application/json', ...more }).end(JSON.stringify(body));
    if (!/(campaigns\.json|\/files|\/v1\/customers|\/octokit)$/.test(pathname)) return send(one);
    await pause(40);
    if (pathname.endsWith('/files')) return send(cursorPage(searchParams.get('after')));
    if (pathname.endsWith('/customers')) return send(cursorPage(searchParams.get('starting_after')));
    const page = Number(searchParams.get('page') ?? 1);
    const next = `<http://${headers.host}${pathname}?page=${page + 1}>; rel="next"`;
    return send(items.slice((page - 1) * size, page * size), {
      'total-count': String(total),
      'total-pages': String(total / size),
      ...(page < total / size && { link: next }),
    });
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
}

if (process.argv[2] === 'serve') start();
