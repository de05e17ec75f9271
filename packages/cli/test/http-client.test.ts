import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { runCli } from './support/run-cli.js';

const rows = JSON.stringify([{ id: 1, name: 'Crème 夏' }]);

async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const list = (url: string, ...more: string[]) =>
  runCli(['organizations', 'list', '--json', ...more], { env: { MKT_TOKEN: 't', MKT_BASE_URL: url } });

it.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
])('reads a response that a proxy compressed: %s', async (encoding, compress) => {
  const url = await listening((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding });
    response.end(compress(rows));
  });
  const { code, stdout } = await list(url);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual(JSON.parse(rows));
});

it('a response that does not match its Content-Encoding is a failed connection', async () => {
  const url = await listening((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(rows);
  });
  expect(await list(url)).toMatchObject({ code: 8, stdout: '' });
});

it.each([[[]], [['--verbose']]])('follows a redirect of a read: %j', async (flags: string[]) => {
  const url = await listening(({ url: path }, response) => {
    if (path === '/organizations.json') response.writeHead(307, { location: 'moved.json' }).end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(rows);
  });
  expect(await list(url, ...flags)).toMatchObject({ code: 0 });
});

it('sends no token to where a redirect leads', async () => {
  const tokens: (string | undefined)[] = [];
  const elsewhere = await listening(({ headers }, response) => {
    tokens.push(headers.authorization);
    response.writeHead(401).end();
  });
  const url = await listening((_, response) => {
    response.writeHead(302, { location: `${elsewhere}/organizations.json` }).end();
  });
  expect((await list(url)).code).toBe(4);
  expect(tokens).toEqual([undefined]);
});
