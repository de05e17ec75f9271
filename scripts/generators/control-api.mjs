// The requests of the control API in docs/reference/control-api.md, from the table of routes. The rest of the page is written by hand.
import { readFileSync } from 'node:fs';
import { fromSource } from '../lib/from-source.mjs';
import { cell, table } from '../lib/markdown.mjs';

export const output = 'docs/reference/control-api.md';

const [start, end] = ['<!-- Requests, written by `npm run generate` -->\n', '<!-- End of requests -->'];

/** What is sent: the query of a GET, otherwise the JSON body. */
function exampleOf({ method, path, input, isList, isOff, bodyField }) {
  const values = input.slice(path.includes(':') ? 1 : 0).map(({ example }) => example);
  if (isOff || values.length === 0) return '';
  if (method === 'GET') return `?${new URLSearchParams(Object.assign({}, ...values))}`.replaceAll('%2F', '/');
  const body = isList ? values : bodyField ? { [bodyField]: values[0] } : values[0];
  const lines = JSON.stringify(body, null, 1);
  return lines
    .replace(/([[{])\n */g, '$1')
    .replace(/\n *([\]}])/g, '$1')
    .replace(/\n */g, ' ');
}

const code = (text) => text && `\`${text}\``;

export async function generate() {
  const { routeList } = await fromSource('packages/mock-server/src/control/routes.ts');
  const rows = routeList.map((route) => [
    code(`${route.method} ${route.path}`),
    code(cell(exampleOf(route))),
    route.isOff ? 'Ends it.' : cell(route.about),
  ]);
  const page = readFileSync(output, 'utf8');
  const lines = table(['Request', 'Query or body, by example', 'What it does'], rows);
  const [before, after] = [page.indexOf(start) + start.length, page.indexOf(end)];
  return `${page.slice(0, before)}${lines.join('\n')}\n${page.slice(after)}`;
}
