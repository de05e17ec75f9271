import type { Endpoint, Schema } from '@mkt/sdk/contract';
import { type JsonSchema, schemaName } from './schemas.js';

export interface Reference {
  readonly $ref: string;
}
export const reference = (kind: 'schemas' | 'responses' | 'headers' | 'parameters', name: string): Reference => ({
  $ref: `#/components/${kind}/${name}`,
});

/** Maximum number of bytes of a request line and its headers. */
export const maxHeaderSize = 16 * 1024;

export type Content = Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: object }>>;

/** Content in JSON, with an example if there is one. */
export const json = (schema: JsonSchema | Reference, example?: object): Content => ({
  'application/json': { schema: { ...schema }, ...(example && { example }) },
});
const header = (name: string) => reference('headers', name);
const everywhere = { 'X-Request-Id': header('RequestId') };

const textHeader = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });
const numberHeader = (description: string, example: number) => ({
  description,
  schema: { type: 'integer', minimum: 0 },
  example,
});

export const headers = {
  RequestId: textHeader('The id of the request: the one that you sent, if it is well-formed.', 'QCuNV3JSFim1-0'),
  TotalCount: numberHeader('Items in the whole list.', 45),
  TotalPages: numberHeader('Pages of the whole list, at least 1.', 3),
  CurrentPage: numberHeader('The number of this page.', 1),
  PageItems: numberHeader('Items per page.', 20),
  ETag: textHeader(
    'Changes when the representation does. Send it as If-None-Match to revalidate, or as If-Match to write.',
    'W/"5f2b8c1e0a7d493c6b12f4e8d09a3c57"',
  ),
  Location: textHeader('The URL of the resource.', 'http://127.0.0.1:4010/organizations/5/campaigns/1.json'),
  RetryAfter: numberHeader('Seconds to wait.', 30),
  WwwAuthenticate: textHeader('The expected authentication scheme.', 'Token realm="Application"'),
};

const failed = (description: string, error: string, more: Readonly<Record<string, Reference>> = {}) => ({
  description,
  headers: { ...everywhere, ...more },
  content: json(reference('schemas', 'Error'), { error }),
});

export const failures = {
  BadRequest: failed(
    'The body is malformed JSON or lacks its wrapper, or `page` is not a positive integer.',
    'The body must contain "campaign": send {"campaign": {...}}.',
  ),
  Unauthorized: failed(
    'The token is missing, unknown or revoked, or a read token tried to write.',
    'This access token is unknown or was revoked. Use another one.',
    { 'WWW-Authenticate': header('WwwAuthenticate') },
  ),
  Forbidden: failed(
    "The caller's role does not permit this.",
    'Only admins of this organization may do this. Ask an admin to do it, or to make you an admin.',
  ),
  NotFound: failed(
    'The resource does not exist, or the caller may not see it.',
    'Organization 9 was not found. Check the id, and that you are a member of it.',
  ),
  PreconditionFailed: failed(
    'The resource has changed since the representation that the preconditions name. Nothing was done.',
    'The resource has changed since you read it, so nothing was changed. Read it again, and retry with its new ETag.',
  ),
  TooSlow: failed(
    'The body did not arrive within 60 s, or stopped for 10 s. Nothing was done.',
    'The body of the request did not arrive in time. Send it again.',
  ),
  TooLarge: failed(
    'The body is too large. The limits are 1 MiB for JSON, 10 MiB for multipart, and 1000 fields.',
    'The JSON body is larger than 1 MiB. Send less.',
  ),
  UnsupportedType: failed(
    'The content type of the body is not supported, or the body is compressed.',
    'The content type of the body is not supported. Send application/json.',
  ),
  Invalid: {
    description:
      'A field is invalid, or the state of the resource does not permit this. Messages by field; `base` has the others.',
    headers: everywhere,
    content: json(reference('schemas', 'ValidationErrors'), {
      errors: { cpm_amount: ['Cpm amount must be 0 or more.'] },
    }),
  },
  TooManyRequests: failed(
    'The rate limit of the server, if it has one, is exceeded, or this token sends too many large bodies at once. Wait as long as `Retry-After` says.',
    'Too many requests. Try again in 30 s.',
    {
      'Retry-After': header('RetryAfter'),
    },
  ),
  Unavailable: failed(
    'The data cannot be reached at the moment. `error` says whether a change may have been made.',
    'The data store is temporarily unavailable. Try again in a few seconds.',
    { 'Retry-After': header('RetryAfter') },
  ),
};

export const failureSchemas: Readonly<Record<string, JsonSchema>> = {
  Error: {
    type: 'object',
    description: 'Why a request failed.',
    properties: { error: { type: 'string', description: 'A sentence that says what to do.' } },
    required: ['error'],
  },
  ValidationErrors: {
    type: 'object',
    description: 'The problems by field.',
    properties: {
      errors: {
        type: 'object',
        description: 'Sentences by field.',
        additionalProperties: { type: 'array', items: { type: 'string' } },
      },
    },
    required: ['errors'],
  },
};

/** Whether the endpoint changes or deletes the resource at its path, so that it can have preconditions. */
export const isConditional = ({ method }: Endpoint): boolean => method === 'PATCH' || method === 'DELETE';

type Failure = keyof typeof failures;

function failuresOf(endpoint: Endpoint): [number, Failure][] {
  const { path, request, role, paginated, method } = endpoint;
  const hasGuard = method === 'DELETE' && /^(organizations|members|campaigns|collabs)\./.test(endpoint.operation);
  const found: [boolean, number, Failure][] = [
    [request !== null || paginated, 400, 'BadRequest'],
    [true, 401, 'Unauthorized'],
    [role !== 'none' && role !== 'member', 403, 'Forbidden'],
    [path.includes('/:') || /^address\.(get|delete)$/.test(endpoint.operation), 404, 'NotFound'],
    [request !== null, 408, 'TooSlow'],
    [isConditional(endpoint) || endpoint.etag, 412, 'PreconditionFailed'],
    [request !== null, 413, 'TooLarge'],
    [request !== null, 415, 'UnsupportedType'],
    [request !== null || hasGuard, 422, 'Invalid'],
    [true, 429, 'TooManyRequests'],
    [true, 503, 'Unavailable'],
  ];
  return found.flatMap(([has, status, name]) => (has ? [[status, name]] : []));
}

const pageHeaders = {
  'Total-Count': header('TotalCount'),
  'Total-Pages': header('TotalPages'),
  'Current-Page': header('CurrentPage'),
  'Page-Items': header('PageItems'),
};

/** A web action redirects; a client that follows with the same headers gets the resource in JSON. */
function redirected(shown: Schema, example?: object) {
  return {
    200: {
      description: 'The representation, for clients that follow the redirect.',
      headers: everywhere,
      content: json(reference('schemas', schemaName(shown)), example),
    },
    303: { description: 'To the page of the resource.', headers: { ...everywhere, Location: header('Location') } },
  };
}

function success({ status, response, paginated, etag }: Endpoint, example?: object) {
  if (response === null) return { description: 'Done.', headers: everywhere };
  const item = reference('schemas', schemaName(response));
  return {
    description: paginated ? 'One page of the list.' : status === 201 ? 'Created.' : 'The representation.',
    headers: {
      ...everywhere,
      ...(paginated && pageHeaders),
      ...(etag && { ETag: header('ETag') }),
      ...(status === 201 && { Location: header('Location') }),
    },
    content: json(paginated ? { type: 'array', items: item } : item, example),
  };
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference>>;
  readonly content?: Content;
}

/** @param shown the response of the endpoint that shows the resource */
export function responsesOf(
  endpoint: Endpoint,
  shown: Schema | null,
  example?: object,
): Readonly<Record<string, ResponseObject | Reference>> {
  return {
    ...(endpoint.status === 303 && shown
      ? redirected(shown, example)
      : { [endpoint.status]: success(endpoint, example) }),
    ...(endpoint.etag && {
      304: {
        description: 'Not changed since the representation with this ETag.',
        headers: { ...everywhere, ETag: header('ETag') },
      },
    }),
    ...Object.fromEntries(failuresOf(endpoint).map(([status, name]) => [status, reference('responses', name)])),
  };
}
