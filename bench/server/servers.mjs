// The servers that are compared, each started as its users start it, on the same data: what our server answers, so that the
// answers are of one size as far as a rival allows.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from './child.mjs';
import { headers, item, list } from './load.mjs';

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

/** json-server's own command with the same rows in its file, as resources of its own; writes go to another one. */
export const jsonServer = (folder, { list: rows, item: row }) =>
  startServer(rivals.resolve('json-server/lib/cli/bin.js'), (port) => [
    written(folder, 'db.json', { campaigns: rows, shown: [row], written: [] }),
    ...['--host', '127.0.0.1', '--port', String(port), '--quiet'],
  ]);

const openapi = new URL('../../docs/openapi.json', import.meta.url);

/** Our OpenAPI document with the answers of our server as examples, which Prism sends. */
function openapiWithExamples({ list: rows, item: row }) {
  const document = JSON.parse(readFileSync(openapi, 'utf8'));
  const campaigns = document.paths['/organizations/{organization_id}/campaigns.json'];
  const campaign = document.paths['/organizations/{organization_id}/campaigns/{id}.json'];
  campaigns.get.responses['200'].content['application/json'].example = rows;
  campaigns.post.responses['201'].content['application/json'].example = row;
  campaign.get.responses['200'].content['application/json'].example = row;
  return document;
}

/** Prism's own command. */
export const prism = (folder, answers) =>
  startServer(rivals.resolve('@stoplight/prism-cli/dist/index.js'), (port) => [
    'mock',
    written(folder, 'openapi.json', openapiWithExamples(answers)),
    ...['--host', '127.0.0.1', '--port', String(port), '--verboseLevel', 'silent'],
  ]);
