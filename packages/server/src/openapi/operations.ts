import {
  type Endpoint,
  type Example,
  endpoints,
  exampleIdsOf,
  examples,
  limits,
  maxImageBytes,
  nestedListOf,
  operationDescriptions,
  parametersOf,
  pathsAbove,
  type RequestBody,
  type ResourceDescription,
  type ResourceExamples,
  type ResourceName,
  resourceAt,
  resources,
} from '@mkt/sdk/contract';
import { capitalized } from '../rules/problems.js';
import { type Content, isConditional, json, maxHeaderSize, reference, responsesOf } from './responses.js';
import { type JsonSchema, purgeSchema, schemaName } from './schemas.js';

/** `/organizations/{organization_id}/campaigns/{id}.json` */
export const openApiPath = ({ path }: Endpoint): string => path.replace(/:([a-z_]+)/g, '{$1}');

function resourceOf({ operation }: Endpoint): ResourceDescription {
  const [name = ''] = operation.split('.', 1);
  if (!Object.hasOwn(resources, name)) throw new Error(`The contract does not describe the resource ${name}.`);
  return resources[name as ResourceName];
}

const summaryVerbs: Readonly<Record<string, string>> = { get: 'Show', update: 'Change' };

const withArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;

/** `Submit a collab for review`: the label of the operation, with the resource after its verb. */
function summary(endpoint: Endpoint): string {
  const list = nestedListOf(endpoint);
  if (list && !list.resource) return `List the ${list.plural} of ${withArticle(resources[list.parent].singular)}`;
  const { name, singular, plural } = resourceOf(endpoint);
  const operation = endpoint.operation.slice(name.length + 1);
  const label = endpoint.transition?.label ?? summaryVerbs[operation] ?? capitalized(operation);
  const hasList = endpoints.some(({ operation: other }) => other === `${name}.list`);
  const object = endpoint.paginated ? plural : hasList ? withArticle(singular) : `the ${singular}`;
  return label.replace(/^\w+/, (verb) => `${verb} ${object}`);
}

const needs: Readonly<Record<Endpoint['role'], string>> = {
  none: '',
  member: ' of a member of the organization',
  admin: ' of an admin of the organization',
  owner: ' of the owner of the organization',
  'admin-or-self': ' of an admin of the organization, or of the member',
};

const action =
  'A web action: it always redirects to the page of the resource, even if its state does not permit the action. Show ' +
  'the resource to see the result.';

const description = (endpoint: Endpoint): string =>
  [
    `Needs ${endpoint.scope === 'write' ? 'a write token' : 'any token'}${needs[endpoint.role]}.`,
    endpoint.status === 303 ? action : operationDescriptions[endpoint.operation],
  ]
    .filter(Boolean)
    .join(' ');

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: string | number;
}

/** A request to the endpoint that works on the demo data. */
export function exampleOf(endpoint: Endpoint): Required<Pick<Example, 'ids'>> & Example<object> {
  const [resource, name = ''] = endpoint.operation.split('.') as [ResourceName, string?];
  const { requests }: ResourceExamples<Record<string, Endpoint<unknown, object>>> = examples[resource];
  return { ...requests[name], ids: exampleIdsOf(endpoint) };
}

const pathParameters = (endpoint: Endpoint): Parameter[] => {
  const { ids } = exampleOf(endpoint);
  return [...pathsAbove(endpoint.path), endpoint.path].flatMap((above, step, paths) => {
    const name = parametersOf(above).at(-1);
    if (name === undefined || parametersOf(paths[step - 1] ?? '').length === parametersOf(above).length) return [];
    const { singular } = resources[resourceAt(above) ?? (endpoint.operation.split('.')[0] as ResourceName)];
    const example = ids[name];
    return {
      name,
      in: 'path',
      required: true,
      description: `The ${singular}.`,
      schema:
        typeof example === 'string'
          ? { type: 'string', maxLength: limits.text }
          : { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      // Ids of the demo data, so that the examples work on a new server.
      ...(example !== undefined && { example }),
    };
  });
};

const queryParameters = ({ query }: Endpoint): Parameter[] =>
  Object.keys(query).map((name) => ({
    name,
    in: 'query',
    description: 'A web page to fill the draft from.',
    schema: { type: 'string', maxLength: limits.text },
    example: 'https://example.com/product',
  }));

const headerParameter = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string', maxLength: maxHeaderSize },
});

export const parameters: Readonly<Record<string, Parameter>> = {
  Page: {
    name: 'page',
    in: 'query',
    description: 'The number of the page, starting at 1. The list is empty after the last page.',
    schema: { type: 'integer', minimum: 1, default: 1 },
  },
  IfNoneMatch: headerParameter(
    'If-None-Match',
    'ETags of representations that the client has. The response is 304 if one of them is current.',
  ),
  IfMatch: headerParameter(
    'If-Match',
    'The ETag of the representation that you read, a list of ETags, or `*`. The response is 412 if none is current.',
  ),
  IfUnmodifiedSince: headerParameter(
    'If-Unmodified-Since',
    'The `updated_at` that you read, as an HTTP date. The response is 412 if it was changed later. Ignored with If-Match.',
  ),
};

function jsonBody(request: RequestBody): JsonSchema {
  const { wrapper, fields, optional, purge } = request;
  const properties: Record<string, JsonSchema> = { [wrapper]: { ...reference('schemas', schemaName(fields)) } };
  if (purge) properties[purge] = { ...purgeSchema, description: `As in \`${wrapper}\`: "1" removes the image.` };
  return { type: 'object', properties, ...(optional === false && { required: [wrapper] }) };
}

/** Rails names: `organization[name]`, and the file as `organization[logo]`. */
function formBody({ wrapper, file }: RequestBody, fields: JsonSchema): JsonSchema {
  const names = Object.entries(fields.properties ?? {}).map(([name, { description: text, maxLength }]) => [
    `${wrapper}[${name}]`,
    { type: 'string', maxLength: maxLength ?? limits.text, ...(text !== undefined && { description: text }) },
  ]);
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(names),
      [`${wrapper}[${file}]`]: {
        type: 'string',
        format: 'binary',
        maxLength: maxImageBytes,
        description: 'PNG, JPEG, WebP or GIF, at most 5 MiB and 50 million pixels.',
      },
    },
  };
}

function requestBody(endpoint: Endpoint, schemas: Schemas) {
  const { request } = endpoint;
  if (!request) return null;
  const fields = schemas[schemaName(request.fields)] ?? {};
  const { fields: example } = exampleOf(endpoint);
  const content: Content = {
    ...json(jsonBody(request), example && { [request.wrapper]: example }),
    ...(request.file && { 'multipart/form-data': { schema: formBody(request, fields) } }),
  };
  return { required: request.optional !== true, content };
}

type Schemas = Readonly<Record<string, JsonSchema>>;

export type Operation = ReturnType<typeof operation>;

/** @param example the body of its response */
export function operation(endpoint: Endpoint, endpoints: readonly Endpoint[], schemas: Schemas, example?: object) {
  const show = endpoint.operation.replace(/\.\w+$/, '.get');
  const shown = endpoints.find((other) => other.operation === show)?.response ?? null;
  const inputs = [
    ...pathParameters(endpoint),
    ...queryParameters(endpoint),
    ...(endpoint.paginated ? [reference('parameters', 'Page')] : []),
    ...(endpoint.etag ? [reference('parameters', 'IfNoneMatch')] : []),
    ...(isConditional(endpoint) || endpoint.etag ? [reference('parameters', 'IfMatch')] : []),
    ...(isConditional(endpoint) ? [reference('parameters', 'IfUnmodifiedSince')] : []),
  ];
  const body = requestBody(endpoint, schemas);
  return {
    operationId: endpoint.operation,
    tags: [resourceOf(endpoint).heading],
    summary: summary(endpoint),
    description: description(endpoint),
    ...(inputs.length > 0 && { parameters: inputs }),
    ...(body && { requestBody: body }),
    responses: responsesOf(endpoint, shown, example),
  };
}
