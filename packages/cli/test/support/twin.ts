import { join } from 'node:path';
import { type Endpoint, endpoints } from '@mkt/sdk/contract';
import { type Dump, type IdFormat, memoryStore } from '@mkt/server';
import { type ServeOptions, type Server, serve } from '@mkt/server/node';
import { onTestFinished } from 'vitest';
import { runCli, type Terminal, temporaryFolder } from './run-cli.js';
import { tokens } from './service.js';

/** A server that records the methods of all requests. */
export async function source(seed: Dump, ids: IdFormat = 'integer', options: Partial<ServeOptions> = {}) {
  const methods = new Map<string, number>();
  const service: Server = await serve({
    store: memoryStore(ids),
    seed,
    port: 0,
    log: {
      requestCompleted: ({ method }) => void methods.set(method, (methods.get(method) ?? 0) + 1),
      failed: (_exchange, error) => {
        throw error;
      },
      stopping: () => undefined,
    },
    ...options,
  });
  onTestFinished(() => service.close());
  return { url: service.url, methods };
}

/** Pulls a twin with a read-only token. */
export async function pullTwin(url: string, org: string, flags: readonly string[] = [], terminal: Terminal = {}) {
  const folder = terminal.cwd ?? temporaryFolder();
  const out = join(folder, 'acme.twin');
  const env = { MKT_TOKEN: tokens.ada_read, MKT_BASE_URL: url, MKT_HISTORY: 'off', ...terminal.env };
  const screen = await runCli(['twin', 'pull', '--org', org, '--out', out, ...flags], {
    ...terminal,
    cwd: folder,
    env,
  });
  return { ...screen, stderr: screen.stderr.replaceAll(folder, '.'), out, folder };
}

type Get = (path: string) => Promise<Response>;

/** A function that requests a path with a token. */
export const getter =
  (url: string, token: string): Get =>
  (path) =>
    fetch(`${url}${path}`, { headers: { accept: 'application/json', authorization: `Bearer ${token}` } });

const isGet = ({ method, path }: Endpoint): boolean => method === 'GET' && path !== '/organizations.json';
const headers = ['content-type', 'total-count', 'total-pages', 'current-page', 'page-items'];

/** Status, headers and body of every GET of the contract, by path; hosts and image URLs are replaced. */
export async function everyGet(get: Get, url: string, org: number | string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const read = async (path: string): Promise<unknown> => {
    const response = await get(path);
    const text = await response.text();
    const shown = text
      .replaceAll(url, 'https://host')
      .replace(/https:\/\/host\/images\/[\w-]+/g, 'https://host/images/KEY');
    found.set(path, [response.status, ...headers.map((name) => response.headers.get(name)), shown].join('\n'));
    const pages = Number(response.headers.get('total-pages') ?? 1);
    if (path.includes('?') || pages < 2) return JSON.parse(text);
    const rest = await Promise.all(Array.from({ length: pages }, (_, at) => read(`${path}?page=${at + 2}`)));
    return [JSON.parse(text), ...rest].flat();
  };
  const readEach = async (path: string): Promise<void> => {
    const [parameter] = /:[a-z_]+/.exec(path) ?? [];
    if (parameter === undefined) return void (await read(path));
    const list = (await read(path.replace(/\/:.*/, '.json'))) as readonly { readonly id: number | string }[];
    for (const { id } of list) await readEach(path.replace(parameter, String(id)));
    await read(path.replace(/:[a-z_]+/g, 'missing0'));
  };
  for (const { path } of endpoints.filter(isGet))
    await readEach(path.replace(/^\/organizations\/:(organization_)?id/, `/organizations/${org}`));
  return found;
}
