// The example responses of OpenAPI and of the reference: the contract's example requests, run by the server's own app on the
// demo data.
import { fromSource } from '../lib/from-source.mjs';

export const output = 'packages/server/src/openapi/examples.generated.ts';

const baseUrl = 'http://127.0.0.1:4010';

/** What an example consists of. */
const advice =
  'Its ids and fields are in packages/sdk/src/contract/examples.ts, its rows in packages/server/src/seed/demo.ts.';

/** Every request here has `Accept: application/json`, so no page is ever rendered. */
const noPages = {};

/** A value for a schema. */
function sampleOf({ type, enum: values, format, anyOf, items, properties }) {
  if (anyOf) return sampleOf(anyOf[0]);
  if (values) return values[0];
  const samples = {
    object: () => Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, sampleOf(schema)])),
    array: () => [sampleOf(items)],
    integer: () => 1,
    number: () => 1,
    boolean: () => true,
    string: () => ({ 'date-time': '2026-05-01T10:00:00Z', uri: 'https://example.com' })[format] ?? 'text',
  };
  return samples[[type].flat()[0]]();
}

export async function generate() {
  const { endpoints, exampleOf, jsonSchema, createApp, demoSeed, demoTokens, memoryStore } = await fromSource(
    'packages/sdk/src/contract/index.ts',
    'packages/server/src/index.ts',
    'packages/server/src/openapi/operations.ts',
    'packages/server/src/openapi/schemas.ts',
  );
  const headers = {
    Accept: 'application/json',
    Authorization: `Bearer ${demoTokens.ada_write}`,
    'Content-Type': 'application/json',
  };

  async function responseTo({ operation, method, path, request, response: schema, paginated }, { ids, fields }) {
    const store = memoryStore();
    await store.load(demoSeed());
    const clock = () => Date.parse('2026-06-01T10:00:00Z');
    const errors = [];
    const onError = (error) => errors.push(error);
    const app = createApp({ store, renderer: noPages, baseUrl, clock, random: () => 'example', onError });
    const body = fields && JSON.stringify({ [request.wrapper]: fields });
    const send = (url, init) => app.fetch(new Request(new URL(url, baseUrl), { headers, ...init }));
    const url = path.replace(/:([a-z_]+)/g, (_, name) => ids[name]);
    const response = await send(url, { method, ...(body && { body }) });
    const final = response.status === 303 ? await send(response.headers.get('location')) : response;
    const example = `The example of ${operation}, ${method} ${url},`;
    if (!final.ok)
      throw new Error(
        `${example} has status ${final.status}: ${await final.text()} ${advice}`,
        errors[0] && { cause: errors[0] },
      );
    if (final.status === 204) return null;
    const found = await final.json();
    for (const item of paginated ? found : [found]) {
      const { error } = schema?.safeParse(item) ?? {};
      if (error) throw new Error(`${example} has a response that does not fit its schema: ${error.message}`);
    }
    return found;
  }

  const bodies = {};
  for (const endpoint of endpoints) {
    const body = await responseTo(endpoint, exampleOf(endpoint));
    // One item of a list is enough. The demo data may have none.
    const [item = sampleOf(jsonSchema(endpoint.response, { isResponse: true }))] = Array.isArray(body) ? body : [body];
    if (body) bodies[endpoint.operation] = Array.isArray(body) ? [item] : body;
  }
  return [
    '// Generated from the contract and the demo data by `npm run generate`. Do not edit.',
    '',
    '/** The body of the response to the example request, by operation; a list holds its first item. */',
    `export const exampleBodies: Readonly<Record<string, object>> = ${JSON.stringify(bodies)};`,
    '',
  ];
}
