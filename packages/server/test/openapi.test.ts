import { differences, type Endpoint, endpoints } from '@mkt/sdk/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BodyBudget } from '../src/http/body-budget.js';
import { demoSeed, demoTokens, memoryStore, StoreUnavailable } from '../src/index.js';
import { type Server, serve } from '../src/node/index.js';
import { type OpenApiDocument, openApiDocument } from '../src/openapi/document.js';
import type { JsonSchema } from '../src/openapi/schemas.js';

type Sent = RequestInit & { readonly token?: string; readonly url?: string };

let server: Server;
let document: OpenApiDocument;
beforeAll(async () => {
  server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0 });
  document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApiDocument;
});
afterAll(() => server.close());

describe('/openapi.json', () => {
  test('is where a wrong path leads', async () => {
    const response = await fetch(`${server.url}/organisations.json`, { headers: { accept: 'application/json' } });
    expect([response.status, await response.json()]).toEqual([
      404,
      { error: 'There is nothing at this URL. Check the path. /openapi.json lists all endpoints.' },
    ]);
  });

  test('needs no token, names this server, and equals the generated file', async () => {
    expect(document).toEqual(JSON.parse(JSON.stringify(await openApiDocument({ server: server.url }))));
    expect(document.openapi).toBe('3.1.0');
  });

  test('has every endpoint of the contract and nothing else', () => {
    const inContract = endpoints.map(
      ({ operation, method, path }) => `${operation} ${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
    );
    const inDocument = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
    );
    expect(inDocument.sort()).toEqual(inContract.sort());
  });

  test('resolves every reference and describes every field and operation', () => {
    const references = JSON.stringify(document).match(/"#\/[^"]+"/g) ?? [];
    expect(references.length).toBeGreaterThan(100);
    for (const reference of references) {
      const target = reference
        .slice(3, -1)
        .split('/')
        .reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document);
      expect(target, reference).toBeDefined();
    }
    for (const [name, { properties = {} }] of Object.entries(document.components.schemas))
      for (const [field, { description }] of Object.entries(properties))
        expect(description, `${name}.${field}`).toMatch(/\.$/);
    for (const methods of Object.values(document.paths))
      for (const { summary, description } of Object.values(methods))
        expect(`${summary} ${description}`).not.toMatch(/%|D\d+/);
  });

  test('limits every text, list and number of requests, and has examples of path parameters', () => {
    const unlimited: string[] = [];
    const visit = (node: unknown, path: string): void => {
      if (typeof node !== 'object' || node === null) return;
      const schema = node as JsonSchema;
      const types = [schema.type ?? []].flat();
      const limits = { string: 'maxLength', array: 'maxItems', integer: 'maximum' } as const;
      // Any page may be asked for (D3).
      const isOpen = schema.enum !== undefined || /\/(properties|parameters\/Page\/schema)$/.test(path);
      for (const [type, keyword] of Object.entries(limits))
        if (!isOpen && types.includes(type) && schema[keyword] === undefined) unlimited.push(`${path}: ${keyword}`);
      for (const [key, inside] of Object.entries(schema)) visit(inside, `${path}/${key}`);
    };
    const { schemas, parameters: shared } = document.components;
    const ofRequests = Object.entries(schemas).filter(([name]) => /(Fields|Changes)$/.test(name));
    expect(ofRequests.length).toBeGreaterThan(7);
    visit(Object.fromEntries(ofRequests), '');
    visit(shared, '/parameters');
    for (const [path, methods] of Object.entries(document.paths))
      for (const { parameters, requestBody } of Object.values(methods)) visit({ parameters, requestBody }, path);
    expect(unlimited).toEqual([]);
    const parameters = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).flatMap((operation) => operation.parameters ?? []),
    );
    const inPath = parameters.filter((parameter) => 'in' in parameter && parameter.in === 'path');
    expect(inPath.length).toBeGreaterThan(30);
    for (const parameter of inPath) expect(parameter).toHaveProperty('example');
  });

  test.each([
    ['campaign', 'CampaignFields', 'platform_ids', 'maxItems', (n: number) => [...Array(n)].map((_, at) => `p${at}`)],
    ['campaign', 'CampaignFields', 'name', 'maxLength', (n: number) => '\u{1f338}'.repeat(n)],
    ['campaign', 'CampaignFields', 'brief', 'maxLength', (n: number) => 'x'.repeat(n)],
    ['campaign', 'CampaignFields', 'cpm_amount', 'maximum', (n: number) => n],
  ] as const)(
    'the server takes a %s of %s up to the published %s.%s',
    async (wrapper, schema, field, keyword, make) => {
      const limit = Number(document.components.schemas[schema]?.properties?.[field]?.[keyword]);
      const create = async (value: unknown) => {
        const answer = await fetch(`${server.url}/organizations/5/campaigns.json`, {
          method: 'POST',
          headers: {
            Accept: 'application/json',
            Authorization: `Bearer ${demoTokens.ada_write}`,
            'Content-Type': 'application/json',
          },
          body: JSON.stringify({ [wrapper]: { name: 'x', [field]: value } }),
        });
        return { status: answer.status, body: await answer.json() };
      };
      expect((await create(make(limit))).status).toBe(201);
      expect(await create(make(limit + 1))).toMatchObject({
        status: 422,
        body: { errors: { [field]: [expect.any(String)] } },
      });
    },
  );

  const shown = ({ operation, response, status }: Endpoint) =>
    status === 303
      ? (endpoints.find((other) => other.operation === operation.replace(/\.\w+$/, '.get'))?.response ?? null)
      : response;

  test.each(endpoints.map((endpoint) => [endpoint.operation, endpoint] as const))(
    '%s has an example of its request, and of its response as the contract describes it',
    (_, endpoint) => {
      const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
      const operation = document.paths[path]?.[endpoint.method.toLowerCase()];
      if (endpoint.request) {
        const [request] = Object.values(operation?.requestBody?.content ?? {});
        expect(request?.example).toHaveProperty(endpoint.request.wrapper);
      }
      const schema = shown(endpoint);
      const success = operation?.responses[endpoint.status === 303 ? 200 : endpoint.status];
      const [response] = Object.values((success && 'content' in success && success.content) || {});
      if (!schema) return expect(response).toBeUndefined();
      const [example] = [response?.example].flat();
      expect(example).toBeDefined();
      expect(differences(schema, example)).toEqual([]);
    },
  );

  test('ids are integers, memberships have strings; fields that may be absent are not required', () => {
    const { Campaign, Membership, Organization, Collab } = document.components.schemas as Record<string, JsonSchema>;
    expect(Campaign?.properties?.id?.type).toBe('integer');
    expect(Membership?.properties?.id?.type).toBe('string');
    expect(Organization?.required).not.toContain('logo_url');
    expect(Collab?.required).not.toContain('published_at');
    expect(Campaign?.properties?.website?.type).toEqual(['string', 'null']);
  });

  test('matches the fields in responses of the server', async () => {
    const headers = { Accept: 'application/json', Authorization: `Bearer ${demoTokens.ada_write}` };
    let compared = 0;
    for (const [path, { get }] of Object.entries(document.paths)) {
      if (!get) continue;
      const parameters = (get.parameters ?? []).flatMap((parameter) => ('name' in parameter ? parameter : []));
      const exampleOf = (name: string) => String(parameters.find((parameter) => parameter.name === name)?.example);
      const address = path.replace(/\{(\w+)\}/g, (_, name: string) => exampleOf(name));
      const answer = await fetch(server.url + address, { headers });
      expect(answer.status, address).toBe(200);
      const body = (await answer.json()) as object | readonly object[];
      const success = get.responses[200] as { content: Record<string, { schema: JsonSchema }> };
      const { schema } = success.content['application/json'] as { schema: JsonSchema };
      const name = String((schema.type === 'array' ? (schema.items as JsonSchema) : schema).$ref).replace(/^.*\//, '');
      const { properties = {}, required = [] } = document.components.schemas[name] ?? {};
      for (const item of Array.isArray(body) ? body : [body]) {
        expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(item)));
        expect(Object.keys(item)).toEqual(expect.arrayContaining(required));
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(40);
  });
});

describe('what generated clients rely on', async () => {
  const { components, servers, paths } = (await openApiDocument({
    server: 'http://127.0.0.1:4010',
    otherServers: [{ url: '{base_url}', variables: { base_url: { default: 'https://api.example.com' } } }],
  })) as unknown as {
    components: Record<'schemas' | 'headers' | 'responses', Record<string, Record<string, never>>>;
    servers: readonly { url: string }[];
    paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  };
  const property = (schema: string, name: string): object =>
    (components.schemas[schema] as unknown as { properties: Record<string, object> }).properties[name] as object;

  test.each([
    ['get', '/organizations/{id}.json', [412], [408, 413]],
    ['get', '/organizations/{organization_id}/campaigns.json', [], [408, 412]],
    ['post', '/organizations/{organization_id}/campaigns.json', [408, 413, 429], [412]],
    ['patch', '/organizations/{id}.json', [408, 412], []],
    ['delete', '/organizations/{id}.json', [412], [408]],
  ])('the statuses of %s %s', (method, path, has, hasNot) => {
    const described = paths[path]?.[method] as { responses: object } | undefined;
    const statuses = Object.keys(described?.responses ?? {}).map(Number);
    expect(statuses).toEqual(expect.arrayContaining(has));
    for (const status of hasNot) expect(statuses).not.toContain(status);
  });

  test('limits and formats of fields', () => {
    expect(property('OrganizationChanges', 'purge_logo')).toMatchObject({ enum: ['1', 1, true] });
    expect(property('CollabFields', 'purge_banner_image')).toMatchObject({ type: ['string', 'integer', 'boolean'] });
    expect(property('CampaignFields', 'name')).toMatchObject({ minLength: 1, maxLength: 255 });
    expect(property('CampaignFields', 'tiktok_music_id')).not.toHaveProperty('minLength');
    expect(property('Campaign', 'used_amount')).toMatchObject({ minimum: 0 });
    expect(property('Campaign', 'view_count')).toMatchObject({ minimum: 0 });
    expect(property('Campaign', 'currency')).toMatchObject({ pattern: '^[a-z]{3}$' });
    expect(property('Campaign', 'countries')).toMatchObject({ items: { pattern: '^[A-Z]{2}$' } });
    expect(property('Address', 'country_code')).toMatchObject({ pattern: '^[A-Z]{2}$' });
    expect(property('Membership', 'user')).toMatchObject({ properties: { email: { format: 'email' } } });
  });

  test('the examples of errors and headers are what the server sends', async () => {
    const limited = await serve({
      store: memoryStore(),
      seed: demoSeed(),
      port: 0,
      rateLimit: { requests: 2, seconds: 60 },
    });
    const send = (path: string, { token = demoTokens.ada_write, url = server.url, ...init }: Sent = {}) =>
      fetch(url + path, {
        ...init,
        headers: { Accept: 'application/json', Authorization: `Bearer ${token}`, ...init.headers },
      });
    const json = { 'Content-Type': 'application/json' };
    const list = '/organizations/5/campaigns.json';
    for (const path of ['/organizations.json', '/organizations.json']) await send(path, { url: limited.url });
    const store = { ...memoryStore(), read: () => Promise.reject(new StoreUnavailable('It is being moved.')) };
    const broken = await serve({ store, port: 0 });
    const hasty = await serve({
      store: memoryStore('integer', demoSeed()),
      port: 0,
      bodyBudget: new BodyBudget(2 ** 20, { total: 50, idle: 50 }),
    });
    const responses: Readonly<Record<string, Promise<Response>>> = {
      BadRequest: send(list, { method: 'POST', headers: json, body: '{}' }),
      Unauthorized: send(list, { token: 'unknown' }),
      Forbidden: send(list, { method: 'POST', token: demoTokens.cleo_write, headers: json, body: '{"campaign":{}}' }),
      NotFound: send('/organizations/9.json'),
      PreconditionFailed: send('/organizations/5.json', {
        method: 'PATCH',
        headers: { ...json, 'If-Match': 'W/"0"' },
        body: '{"organization":{"name":"A"}}',
      }),
      TooSlow: send(list, {
        method: 'POST',
        url: hasty.url,
        headers: json,
        body: new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode('{')) }),
        duplex: 'half',
      } as Sent),
      TooLarge: send(list, { method: 'POST', headers: json, body: ' '.repeat(2 ** 20 + 1) }),
      UnsupportedType: send(list, { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: 'name' }),
      Invalid: send(list, { method: 'POST', headers: json, body: '{"campaign":{"name":"A","cpm_amount":-1}}' }),
      TooManyRequests: send('/organizations.json', { url: limited.url }),
      Unavailable: send('/organizations.json', { url: broken.url }),
    };
    const bodies: Record<string, unknown> = {};
    for (const [name, response] of Object.entries(responses))
      bodies[name] = JSON.parse((await (await response).text()).replace(/in \d+ s\./, 'in 30 s.'));
    await Promise.all([limited.close(), broken.close(), hasty.close()]);
    const examples = Object.entries(components.responses).map(([name, { content }]) => [
      name,
      (content as unknown as Record<string, { example: object }>)['application/json']?.example,
    ]);
    expect(bodies).toEqual(Object.fromEntries(examples));

    const shape = (value: unknown) => String(value).replaceAll(/[\w-]/g, 'x');
    const example = (name: string) => components.headers[name]?.example;
    const { headers } = await send('/organizations/5.json');
    expect(shape(headers.get('etag'))).toBe(shape(example('ETag')));
    for (const id of [headers.get('x-request-id'), example('RequestId')]) expect(id).toMatch(/^[\w-]{12}-\w+$/);
    expect((await responses.Unauthorized)?.headers.get('www-authenticate')).toBe(example('WwwAuthenticate'));
  });

  test('examples of headers and errors, and the URLs of all servers', () => {
    for (const [name, header] of Object.entries(components.headers)) expect(header, name).toHaveProperty('example');
    expect(components.headers.CurrentPage).toMatchObject({ schema: { type: 'integer' } });
    for (const [name, { content }] of Object.entries(components.responses))
      expect(content, name).toMatchObject({ 'application/json': { example: expect.any(Object) } });
    expect(servers).toEqual([
      { url: 'http://127.0.0.1:4010' },
      { url: '{base_url}', variables: { base_url: { default: 'https://api.example.com' } } },
    ]);
  });
});
