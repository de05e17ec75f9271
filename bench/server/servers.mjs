// The servers that are compared, each started as its users start it, on the same data: what our server answers, so that the
// answers are of one size as far as a rival allows.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from './child.mjs';
import { headers, item, list } from './load.mjs';
import { mockoonEnvironment } from './rivals/mockoon-environment.mjs';
import { openapiWithExamples } from './rivals/openapi-with-examples.mjs';

const rivals = createRequire(import.meta.url);
const bin = fileURLToPath(new URL('../../packages/server/dist/bin.js', import.meta.url));

/** The reference server as it is built, with every rule on and the demo data, test controls included. `db` as in `--db`. */
export const oursWithControls = (db, ...flags) =>
  startServer(bin, (port) => ['--port', String(port), '--db', db, '--seed', 'demo', '--quiet', ...flags]);

/** The same without test controls and request log. */
export const ours = (db) => oursWithControls(db, '--no-control');

/** What a server answers for the list and for the item, as objects. */
export async function answersOf(server) {
  const [listed, shown] = await Promise.all([list, item].map((path) => fetch(server.url + path, { headers })));
  return { list: await listed.json(), item: await shown.json(), etag: shown.headers.get('etag') };
}

/** @returns the path of a new file in the folder, with that content as JSON. */
function written(folder, name, content) {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(content));
  return file;
}

const inBody = ({ list: rows, item: row }) => ({ [list]: rows, [item]: row, item: row });

/** node:http and JSON.stringify, nothing else. */
export const raw = (folder, answers) =>
  startServer('./raw-server.mjs', (port) => [String(port), written(folder, 'raw.json', inBody(answers))]);

/** Fastify with the same objects in a constant; `etag` adds its plug-in for conditional requests. */
export const fastify = (folder, answers, ...options) =>
  startServer('./rivals/fastify-server.mjs', (port) => [
    String(port),
    written(folder, 'fastify.json', inBody(answers)),
    ...options,
  ]);

/** json-server's own command with the same rows in its file, as resources of its own; writes go to another one. */
export const jsonServer = (folder, { list: rows, item: row }) =>
  startServer(rivals.resolve('json-server/lib/cli/bin.js'), (port) => [
    written(folder, 'db.json', { campaigns: rows, shown: [row], written: [] }),
    ...['--host', '127.0.0.1', '--port', String(port), '--quiet'],
  ]);

/** Prism's own command with our OpenAPI document, in which the same objects are the examples. */
export const prism = (folder, answers) =>
  startServer(rivals.resolve('@stoplight/prism-cli/dist/index.js'), (port) => [
    'mock',
    written(folder, 'openapi.json', openapiWithExamples(answers)),
    ...['--host', '127.0.0.1', '--port', String(port), '--verboseLevel', 'silent'],
  ]);

/** Mockoon's own command with the same rows in data buckets behind CRUD routes. */
export const mockoon = (folder, answers) =>
  startServer(join(rivals.resolve('@mockoon/cli/package.json'), '..', 'bin', 'run.js'), (port) => [
    'start',
    ...['--data', written(folder, 'mockoon.json', mockoonEnvironment(answers))],
    ...['--hostname', '127.0.0.1', '--port', String(port), '--repair', '--disable-log-to-file', '--disable-admin-api'],
  ]);
