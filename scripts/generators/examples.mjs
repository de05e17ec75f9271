// The example responses of OpenAPI and of the reference: the contract's example requests, run by the server's own app on the
// demo data.
import { fromSource } from '../lib/from-source.mjs';

export const output = 'packages/server/src/openapi/examples.generated.ts';

const baseUrl = 'http://127.0.0.1:4010';

/** Every request here has `Accept: application/json`, so no page is ever rendered. */
const noPages = {};

export async function generate() {
  const { contract, examples, createApp, demoSeed, demoTokens, memoryStore } = await fromSource(
    'packages/sdk/src/contract/index.ts',
    'packages/server/src/index.ts',
  );
  const headers = {
    Accept: 'application/json',
    Authorization: `Bearer ${demoTokens.ada_write}`,
    'Content-Type': 'application/json',
  };

  async function responseTo({ method, path, request }, { ids, fields }) {
    const store = memoryStore();
    await store.load(demoSeed());
    const clock = () => Date.parse('2026-06-01T10:00:00Z');
    const app = createApp({ store, renderer: noPages, baseUrl, clock, random: () => 'example' });
    const body = fields && JSON.stringify({ [request.wrapper]: fields });
    const send = (url, init) => app.fetch(new Request(new URL(url, baseUrl), { headers, ...init }));
    const response = await send(
      path.replace(/:([a-z_]+)/g, (_, name) => ids[name]),
      { method, ...(body && { body }) },
    );
    const final = response.status === 303 ? await send(response.headers.get('location')) : response;
    if (!final.ok) throw new Error(`${method} ${path} has status ${final.status}.`);
    return final.status === 204 ? null : final.json();
  }

  const bodies = {};
  for (const [resource, endpoints] of Object.entries(contract)) {
    const { ids, requests } = examples[resource];
    for (const [name, endpoint] of Object.entries(endpoints)) {
      const { ids: others, fields } = requests[name] ?? {};
      const body = await responseTo(endpoint, { ids: { ...ids, ...others }, fields });
      // One item of a list is enough.
      if (body) bodies[endpoint.operation] = Array.isArray(body) ? body.slice(0, 1) : body;
    }
  }
  return [
    '// Generated from the contract and the demo data by `npm run generate`. Do not edit.',
    '',
    '/** The body of the response to the example request, by operation; a list holds its first item. */',
    `export const exampleBodies: Readonly<Record<string, object>> = ${JSON.stringify(bodies)};`,
    '',
  ];
}
