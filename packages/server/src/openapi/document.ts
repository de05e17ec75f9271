import { endpoints as contractEndpoints, type Endpoint, type ResourceName, resources } from '@mkt/sdk/contract';
import { createApp } from '../app.js';
import { inPieces } from '../pieces.js';
import { demoSeed, demoTokens } from '../seed/demo.js';
import { memoryStore } from '../store/memory-lists.js';
import type { IdFormat } from '../store/tables.js';
import { exampleOf, type Operation, openApiPath, operation, parameters } from './operations.js';
import { failureSchemas, failures, headers } from './responses.js';
import { type JsonSchema, jsonSchema, schemaName } from './schemas.js';

const introduction = [
  'Connects brands with content creators. Covers access tokens, organizations, members, campaigns, collabs, and the',
  'social accounts and the address of the user.',
  '',
  'Send `Accept: application/json` with every request. Without it, the response is an HTML page instead of JSON.',
  '',
  'Every GET endpoint also supports HEAD. Unknown fields in a body are ignored. Timestamps are ISO 8601 in UTC. Amounts',
  'are integers without a unit. Lists have 20 items per page; `Total-Count` and `Total-Pages` contain the totals.',
].join('\n');

export interface OpenApiOptions {
  /** The URL of the API, such as `http://127.0.0.1:4010`. */
  readonly server: string;
  /** Where else the API is served. */
  readonly otherServers?: readonly OpenApiServer[];
  /** Defaults to the endpoints of the contract. */
  readonly endpoints?: readonly Endpoint[];
  /** The format of ids of the server. @default 'integer' */
  readonly ids?: IdFormat;
}

export interface OpenApiServer {
  readonly url: string;
  readonly description?: string;
  readonly variables?: Readonly<Record<string, { readonly default: string; readonly description?: string }>>;
}

export type OpenApiDocument = Awaited<ReturnType<typeof openApiDocument>>;

let examples: ReturnType<typeof exampleBodies> | undefined;

/** The whole API as OpenAPI 3.1, generated from the contract only. */
export async function openApiDocument({
  server,
  endpoints = contractEndpoints,
  ids = 'integer',
  otherServers = [],
}: OpenApiOptions) {
  examples ??= exampleBodies();
  const bodies = await examples;
  const schemas = schemasOf(endpoints);
  const paths: Record<string, Record<string, Operation>> = {};
  for (const endpoint of endpoints) {
    const path = openApiPath(endpoint);
    paths[path] = {
      ...paths[path],
      [endpoint.method.toLowerCase()]: operation(endpoint, endpoints, schemas, bodies[endpoint.operation]),
    };
  }
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Brand and Creator Marketplace JSON API',
      version: '1',
      description: introduction,
      contact: { name: 'The maintainers of mkt' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: server }, ...otherServers] as readonly OpenApiServer[],
    security: [{ accessToken: [] }],
    tags: Object.values(resources).map(({ heading, name }) => ({ name: heading, description: about[name] })),
    paths,
    components: {
      securitySchemes: {
        accessToken: { type: 'http', scheme: 'bearer', description: 'A personal access token of the caller.' },
      },
      schemas,
      parameters,
      headers,
      responses: failures,
    },
  };
  return ids === 'opaque' ? (withOpaqueIds(document) as typeof document) : document;
}

/** Ids as texts. Without examples, because those have the integers of the demo data. */
function withOpaqueIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withOpaqueIds);
  if (typeof value !== 'object' || value === null) return value;
  const { example: _, ...rest } = value as Readonly<Record<string, unknown>>;
  const entries = Object.entries(rest).map(([name, inner]) => [name, withOpaqueIds(inner)] as const);
  const changed = Object.fromEntries(entries);
  const isId = (schema: unknown) => (schema as JsonSchema | undefined)?.type === 'integer';
  const opaque = { type: 'string', maxLength: 64 };
  if (changed.in === 'path' && isId(changed.schema)) return { ...changed, schema: opaque };
  const { properties } = changed as JsonSchema;
  if (!isId(properties?.id)) return changed;
  const { maximum: _maximum, ...id } = properties?.id ?? {};
  const description = id.description?.replace(/^Number/, 'Id');
  return { ...changed, properties: { ...properties, id: { ...id, ...opaque, ...(description && { description }) } } };
}

function schemasOf(endpoints: readonly Endpoint[]): Readonly<Record<string, JsonSchema>> {
  const schemas: Record<string, JsonSchema> = { ...failureSchemas };
  for (const { request, response } of endpoints) {
    if (response) schemas[schemaName(response)] ??= jsonSchema(response, { isResponse: true });
    if (request) schemas[schemaName(request.fields)] ??= jsonSchema(request.fields, { isResponse: false });
  }
  return schemas;
}

/** What each resource is, for readers of the reference and of the OpenAPI document. */
export const about: Readonly<Record<ResourceName, string>> = {
  accessTokens: "The caller's own tokens. A token works in every organization of its owner. Its secret is shown once.",
  organizations: 'Brands. Users who are not members of one get 404 for it and for everything in it.',
  members: 'The people of an organization and their roles, admins first.',
  campaigns: 'Budgeted creator programs with payout rules. Members do not see drafts.',
  collabs: 'Briefs that creators can apply to. Members do not see drafts.',
  socialAccounts: "The caller's own accounts on other platforms.",
  address: "The caller's one shipping address.",
};

const baseUrl = 'http://127.0.0.1:4010';

const exampleHeaders = {
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
async function exampleBodies(): Promise<Readonly<Record<string, object>>> {
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
  const send = (url: string, init?: RequestInit) =>
    app.fetch(new Request(new URL(url, baseUrl), { headers: exampleHeaders, ...init }));
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
  await inPieces(contractEndpoints, ([endpoint]) => endpoint && add(endpoint), 1);
  return bodies;
}
