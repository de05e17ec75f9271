import { endpoints as contractEndpoints, type Endpoint, resources } from '@mkt/sdk/contract';
import type { IdFormat } from '../store/tables.js';
import { about } from './about.js';
import { exampleBodies } from './examples.js';
import { type Operation, openApiPath, operation, parameters } from './operations.js';
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
