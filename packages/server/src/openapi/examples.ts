import { type Endpoint, endpoints } from '@mkt/sdk/contract';
import { createApp } from '../app.js';
import { inPieces } from '../pieces.js';
import { demoSeed, demoTokens } from '../seed/demo.js';
import { memoryStore } from '../store/memory-lists.js';
import { exampleOf } from './operations.js';
import { type JsonSchema, jsonSchema } from './schemas.js';

const baseUrl = 'http://127.0.0.1:4010';

const headers = {
  Accept: 'application/json',
  Authorization: `Bearer ${demoTokens.ada_write}`,
  'Content-Type': 'application/json',
};

function sampleOf({ type, enum: values, format, anyOf, items, properties = {} }: JsonSchema): unknown {
  const [first] = [anyOf ?? []].flat() as JsonSchema[];
  if (first !== undefined) return sampleOf(first);
  if (Array.isArray(values)) return values[0];
  switch ([type].flat()[0]) {
    case 'object':
      return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, sampleOf(schema)]));
    case 'array':
      return [sampleOf(items as JsonSchema)];
    case 'boolean':
      return true;
    case 'string':
      return { 'date-time': '2026-05-01T10:00:00Z', uri: 'https://example.com' }[String(format)] ?? 'text';
    default:
      return 1;
  }
}

/** The bodies of the responses to the example requests on the demo data, by operation; a list has its first item. */
export async function exampleBodies(): Promise<Readonly<Record<string, object>>> {
  const store = memoryStore();
  const clock = () => Date.parse('2026-06-01T10:00:00Z');
  const noPage = () => {
    throw new Error('Every request accepts JSON.');
  };
  const app = createApp({
    store,
    renderer: { respond: noPage, problem: noPage },
    baseUrl,
    clock,
    random: () => 'example',
  });
  const send = (url: string, init?: RequestInit) => app.fetch(new Request(new URL(url, baseUrl), { headers, ...init }));
  const seed = demoSeed();
  const bodies: Record<string, object> = {};
  const add = async (endpoint: Endpoint) => {
    const { operation, method, request, response: schema } = endpoint;
    if (schema === null && endpoint.status !== 303) return;
    await store.load(seed);
    app.forget();
    const { ids, fields } = exampleOf(endpoint);
    const path = endpoint.path.replace(/:([a-z_]+)/g, (_, name: string) => String(ids[name]));
    const body = fields && request && JSON.stringify({ [request.wrapper]: fields });
    const first = await send(path, { method, ...(body && { body }) });
    const response = first.status === 303 ? await send(first.headers.get('location') ?? '') : first;
    if (!response.ok)
      throw new Error(
        `The example of ${operation}, ${method} ${path}, has status ${response.status}: ${await response.text()} Its ids and fields are in the contract's examples.ts, its rows in seed/demo.ts.`,
      );
    const found = await response.json();
    // The demo data may have no item of a list.
    const [item = schema && sampleOf(jsonSchema(schema, { isResponse: true }))] = [found].flat();
    bodies[operation] = Array.isArray(found) ? [item] : found;
  };
  await inPieces(endpoints, ([endpoint]) => endpoint && add(endpoint), 1);
  return bodies;
}
