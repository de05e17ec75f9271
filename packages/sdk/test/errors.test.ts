import * as sdk from '@mkt/sdk';
import {
  AbortedError,
  AuthenticationError,
  BadRequestError,
  type CallOptions,
  ConfigurationError,
  ConnectionError,
  HttpError,
  Marketplace,
  MarketplaceError,
  type MarketplaceOptions,
  NotFoundError,
  PermissionError,
  PreconditionFailedError,
  RateLimitError,
  ResponseParseError,
  ServerError,
  TimeoutError,
  TransitionError,
  ValidationError,
} from '@mkt/sdk';
import { describe, expect, it, vi } from 'vitest';
import { client, failure } from './support/client.js';
import { drop, json, type Step, scripted, text } from './support/scripted-server.js';

const failedWith = async <E>(step: Step, type: abstract new (...given: never[]) => E): Promise<E> => {
  await using server = await scripted(step);
  return await failure(client(server.url, { retry: false }).campaigns.get(5, 1), type);
};

describe('each status has its class', () => {
  it.each([
    [400, BadRequestError],
    [401, AuthenticationError],
    [403, PermissionError],
    [404, NotFoundError],
    [409, HttpError],
    [412, PreconditionFailedError],
    [418, HttpError],
    [422, ValidationError],
    [429, RateLimitError],
    [500, ServerError],
    [503, ServerError],
    // By RFC 9110 as a 5xx.
    [600, ServerError],
    [999, ServerError],
  ] as const)('%i', async (status, type) => {
    const error = await failedWith(
      json({ error: 'The reason.' }, { status, headers: { 'x-request-id': 'req-1' } }),
      type,
    );
    expect(error.constructor).toBe(type);
    expect(error.name).toBe(type.kind);
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toBeInstanceOf(MarketplaceError);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      status,
      method: 'GET',
      body: { error: 'The reason.' },
      bodyText: '{"error":"The reason."}',
      requestId: 'req-1',
      attempts: 1,
    });
    expect(error.url).toMatch(/^http:.*\/organizations\/5\/campaigns\/1\.json$/);
    expect(error.headers.get('content-type')).toMatch('application/json');
    expect(error.message).toContain(`returned ${status}: The reason.`);
  });
});

describe('a message says what to do', () => {
  it('a 401 on a write explains read-only tokens', async () => {
    await using server = await scripted(json({ error: 'Not authorized.' }, { status: 401 }));
    const error = await failure(client(server.url).campaigns.update(5, 1, {}), AuthenticationError);
    expect(error.message).toContain('read-only token can only make GET requests');
  });

  it('a 401 on a read does not', async () => {
    const error = await failedWith(text(401, ''), AuthenticationError);
    expect(error.message).toContain('has not been revoked');
    expect(error.message).not.toContain('read-only');
  });

  it('a 401 behind a redirect to another server says that the token does not go there', async () => {
    await using other = await scripted(text(401, ''));
    await using server = await scripted(text(301, '', { location: `${other.url}/v2` }));
    const options = { allowRedirects: true };
    const error = await failure(client(server.url, options).campaigns.get(5, 1), AuthenticationError);
    expect(error.message).toBe(
      `GET ${other.url}/v2 returned 401. ${server.url} redirects there, and the token is not sent to other servers. If ${other.url} is the API, give it as the option baseUrl.`,
    );
    // A token that is part of the address is masked in it.
    const masked = await failure(
      client(server.url, { ...options, token: '127' }).campaigns.get(5, 1),
      AuthenticationError,
    );
    expect(masked.message).toContain('If http://[token].0.0.1');
    await using within = await scripted(text(301, '', { location: '/v2' }), text(401, ''));
    expect((await failure(client(within.url).campaigns.get(5, 1), AuthenticationError)).message).toContain('revoked');
  });

  it('a 404 says that it may be hidden', async () => {
    expect((await failedWith(text(404, ''), NotFoundError)).message).toContain('may not see it');
  });

  it('a write that is redirected to a sign-in page suggests another token', async () => {
    await using server = await scripted(
      text(302, '', { location: '/users/sign_in' }),
      text(302, '', { location: '/login' }),
    );
    const mkt = client(server.url);
    await failure(mkt.campaigns.create(5, { name: 'x' }), AuthenticationError);
    await failure(mkt.organizations.delete(5), AuthenticationError);
  });

  const reason = { error: 'The reason.' };
  it.each<[number, Record<string, string>, unknown, string]>([
    [300, {}, {}, '. It redirects: check the option baseUrl.'],
    [399, { location: '/v2' }, {}, '. It redirects to /v2: check the option baseUrl.'],
    [403, {}, reason, ": The reason. The role of the token's user in this organization does not permit it."],
    [403, {}, { error: 'No' }, ": No. The role of the token's user in this organization does not permit it."],
    [409, {}, reason, ': The reason.'],
    [429, {}, reason, ': The reason. Wait before the next call.'],
    [429, { 'retry-after': '2' }, reason, ': The reason. Wait 2 s before the next call.'],
    [500, {}, reason, ': The reason.'],
  ])('%i %j', async (status, headers, body, said) => {
    const error = await failedWith(json(body, { status, headers }), HttpError);
    expect(error.message).toBe(`GET ${error.url} returned ${status}${said}`);
  });

  it.each([
    [401, {}, 'This access token is unknown or was revoked.', ': This access token is unknown or was revoked.'],
    [403, {}, 'Only admins may do this.', ': Only admins may do this.'],
    [404, {}, 'Campaign 9 was not found.', ': Campaign 9 was not found.'],
    [404, {}, 'Not found.', ": Not found. It does not exist, or the token's user may not see it."],
    [429, { 'retry-after': '3' }, 'Try again in 3 s.', ': Try again in 3 s.'],
    [429, { 'retry-after': '3' }, 'Too many requests.', ': Too many requests. Wait 3 s before the next call.'],
    [422, {}, ['Name is bad.', 'Name is bad.'], ': Name is bad.'],
  ])('what the server says is not said again: %i %j %s', async (status, headers, errors, said) => {
    const error = await failedWith(json({ errors }, { status, headers: headers as Record<string, string> }), HttpError);
    expect(error.message).toBe(`GET ${error.url} returned ${status}${said}`);
  });

  it("the status once, also if a proxy's page repeats it", async () => {
    const error = await failedWith(text(502, '<title>502 Bad Gateway</title>'), ServerError);
    expect(error.message).toBe(`GET ${error.url} returned 502: Bad Gateway`);
  });

  it('that all attempts failed, where there were several', async () => {
    await using server = await scripted(text(501, 'boom'), text(503, ''), text(503, 'down'));
    const mkt = client(server.url, { retry: { limit: 1, minDelay: 1 } });
    expect((await failure(mkt.campaigns.get(5, 1), ServerError)).message).toMatch(/ returned 501: boom$/);
    expect((await failure(mkt.campaigns.get(5, 1), ServerError)).message).toMatch(
      / returned 503: down\. All 2 attempts failed\.$/,
    );
  });

  it('only the beginning of a long text', async () => {
    const error = await failedWith(text(500, 'x'.repeat(5000)), ServerError);
    expect(error.message).toMatch(/returned 500: x{300}$/);
    expect(error.bodyText).toHaveLength(5000);
  });

  it('no control characters of the server: the terminal of the reader is not steered', async () => {
    const error = await failedWith(text(500, '\u001b[31mred\u0007'), ServerError);
    expect(error.message).not.toMatch(/\p{Cc}/u);
    expect(error.bodyText).toBe('\u001b[31mred\u0007');
  });

  it('a redirect of a write names the address: the request is not turned into a GET', async () => {
    await using server = await scripted(text(301, '', { location: 'https://elsewhere.example/' }));
    const error = await failure(client(server.url).campaigns.create(5, { name: 'x' }), HttpError);
    expect(error).toMatchObject({ status: 301 });
    expect(error.message).toContain('https://elsewhere.example/');
    expect(error.message).toContain('baseUrl');
  });
});

describe('error bodies have no promised shape', () => {
  const html = '<!doctype html><html><head><title>We are down</title></head><body>...</body></html>';
  const cases: [string, string, Record<string, string[]>, string[]][] = [
    [
      '{errors: {field: [message]}}',
      '{"errors":{"name":["Give a name."],"base":["It is late."]}}',
      { name: ['Give a name.'], base: ['It is late.'] },
      ['Give a name.', 'It is late.'],
    ],
    [
      "Rails' fragments",
      '{"errors":{"name":["can\'t be blank","is odd"]}}',
      { name: ["can't be blank", 'is odd'] },
      ["name can't be blank", 'name is odd'],
    ],
    [
      '{errors: [message]}',
      '{"errors":["Name can\'t be blank"]}',
      { base: ["Name can't be blank"] },
      ["Name can't be blank"],
    ],
    ['{field: [message]}', '{"name":["can\'t be blank"]}', { name: ["can't be blank"] }, ["name can't be blank"]],
    ['{errors: message}', '{"errors":"No."}', { base: ['No.'] }, ['No.']],
    ['{errors: {field: message}}', '{"errors":{"name":"is odd"}}', { name: ['is odd'] }, ['name is odd']],
    [
      '{errors: [{message}]}',
      '{"errors":[{"message":"Odd."},{"detail":"Even."}]}',
      { base: ['Odd.', 'Even.'] },
      ['Odd.', 'Even.'],
    ],
    [
      '{errors: [{detail, title}]}',
      '{"errors":[{"title":"Odd","detail":"It is odd."},{"title":"Even."}]}',
      { base: ['It is odd.', 'Even.'] },
      ['It is odd.', 'Even.'],
    ],
    ['only a title', '{"title":"Odd."}', { base: ['Odd.'] }, ['Odd.']],
    ['a field without messages', '{"errors":{"name":[],"role":["Odd."]}}', { role: ['Odd.'] }, ['Odd.']],
    ['nested fields', '{"errors":{"user":{"email":["is taken"]}}}', { user: ['is taken'] }, ['user is taken']],
    ['{error: message}', '{"error":"No."}', { base: ['No.'] }, ['No.']],
    ['{message}', '{"message":"No."}', { base: ['No.'] }, ['No.']],
    [
      'problem+json',
      '{"type":"about:blank","title":"Odd","detail":"It is odd."}',
      { base: ['It is odd.'] },
      ['It is odd.'],
    ],
    ['[message]', '["One.","Two."]', { base: ['One.', 'Two.'] }, ['One.', 'Two.']],
    ['a JSON string', '"No."', { base: ['No.'] }, ['No.']],
    ['HTML', html, {}, ['We are down']],
    ['plain text', 'No way.\n', {}, ['No way.']],
    ['plain text with a sign', 'The amount must be < 5.', {}, ['The amount must be < 5.']],
    ['HTML without a title', '<p>We are down</p>', {}, []],
    ['text before HTML', 'Error: <html><body>We are down</body></html>', {}, []],
    ['nothing', '', {}, []],
    ['a number', '7', {}, []],
    ['null', 'null', {}, []],
    ['an empty object', '{}', {}, []],
    ['a list without end', `{"errors":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, {}, []],
    ['broken JSON', '{"errors":', {}, ['{"errors":']],
  ];

  it.each(cases)('%s', async (_, body, fieldErrors, messages) => {
    const error = await failedWith(text(422, body), ValidationError);
    expect(error.fieldErrors).toEqual(fieldErrors);
    expect(error.messages).toEqual(messages);
    expect(error.bodyText).toBe(body);
    expect(error.message).toMatch(/^GET http:\S+ returned 422[.:]/);
    for (const message of messages) expect(error.message).toContain(message);
  });

  it.each(cases)('%s, on any status', async (_, body) => {
    for (const status of [401, 404, 500]) {
      const error = await failedWith(text(status, body), HttpError);
      expect(error.bodyText).toBe(body);
      expect(error.message.length).toBeLessThan(700);
    }
  });
});

it.each([
  ['{"error":"No."}', { error: 'No.' }],
  ['<p>No.</p>', '<p>No.</p>'],
  ['No.', 'No.'],
  ['', undefined],
])('the body %j is kept as %j', async (came, body) => {
  expect((await failedWith(text(500, came), ServerError)).body).toEqual(body);
});

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('a successful response with a wrong body', () => {
  it.each([
    ['HTML', text(200, '<html></html>', { 'content-type': 'text/html' }), 'text/html'],
    [
      'JSON that breaks off',
      text(200, '{"id": 1,', { 'content-type': 'application/json; charset=utf-8' }),
      'campaigns.get: the 200 response has incomplete or damaged JSON. See bodyText.',
    ],
    [
      'text',
      text(200, 'Welcome', { 'content-type': 'text/plain' }),
      'Check that the option baseUrl is the API itself.',
    ],
    ['nothing', text(200, ''), 'has no body'],
    ['204', text(204, ''), 'has no body'],
    ['null', json(null), 'not a JSON object'],
    ['a list', json([]), 'not a JSON object'],
    ['JSON nested too deep', text(200, `{"id":1,"name":${nested(100_000)}}`), 'not a JSON object'],
  ])('%s', async (_, step, said) => {
    const error = await failedWith(step, ResponseParseError);
    expect(error.message).toContain(said);
    expect(error.message).toContain('campaigns.get');
    expect(error.method).toBe('GET');
  });

  it('fails every reading of a list if it is nested too deep', async () => {
    const type = { 'content-type': 'application/json' };
    await using server = await scripted(text(200, `[${nested(100_000)}]`, type));
    await using shallow = await scripted(text(200, `[${nested(2000)}]`, type));
    const readings: ((mkt: sdk.Marketplace) => unknown)[] = [
      (mkt) => mkt.campaigns.list(5),
      (mkt) => mkt.campaigns.list(5).all(),
      (mkt) => mkt.campaigns.list(5).count(),
      (mkt) => mkt.campaigns.list(5).pages().next(),
      (mkt) => mkt.campaigns.list(5)[Symbol.asyncIterator]().next(),
      (mkt) => mkt.request('GET', '/organizations/5/campaigns.json'),
    ];
    for (const read of readings) {
      await failure(Promise.resolve(read(client(server.url))), ResponseParseError);
      await read(client(shallow.url));
    }
  });

  it('is an HTML page instead of an empty body: a captive portal has not deleted anything', async () => {
    const page = text(200, '<html>Welcome to our hotel</html>', { 'content-type': 'text/html; charset=utf-8' });
    await using server = await scripted(page, json({ deleted: true }), text(200, ' ', { 'content-type': 'text/html' }));
    const { campaigns } = client(server.url);
    const error = await failure(campaigns.delete(5, 1), ResponseParseError);
    expect(error.message).toContain('campaigns.delete: the 200 response is a web page');
    await campaigns.delete(5, 1);
    await campaigns.delete(5, 1);
  });

  it('has the body as a non-enumerable property: it may contain the secret of a new token', async () => {
    await using server = await scripted(
      text(201, '{"id":1,"token":"new-secret', { 'content-type': 'application/json' }),
    );
    const call = client(server.url).accessTokens.create({ description: 'x', permission: 'read' });
    const error = await failure(call, ResponseParseError);
    expect(error.bodyText).toContain('new-secret');
    expect(JSON.stringify(error)).not.toContain('new-secret');
  });
});

it('each error class calls itself as it is exported', () => {
  const classes = Object.entries(sdk).filter(([name]) => name.endsWith('Error'));
  expect(classes).toHaveLength(17);
  for (const [name, type] of classes) expect((type as typeof MarketplaceError).kind).toBe(name);
});

describe('instanceof', () => {
  it('holds across two copies of the package', async () => {
    vi.resetModules();
    const other = await import('@mkt/sdk');
    expect(other.NotFoundError).not.toBe(NotFoundError);
    await using server = await scripted(text(404, ''));
    const error = await failure(client(server.url).campaigns.get(5, 1), NotFoundError);
    expect(error instanceof other.NotFoundError).toBe(true);
    expect(error instanceof other.HttpError).toBe(true);
    expect(error instanceof other.MarketplaceError).toBe(true);
    expect(error instanceof other.ValidationError).toBe(false);
    expect(error instanceof other.ConnectionError).toBe(false);
  });

  it('is false for everything else', () => {
    for (const value of [null, undefined, 'x', {}, new Error('x'), { name: 'HttpError' }])
      expect(value instanceof MarketplaceError).toBe(false);
  });

  it('works for classes that a user derives', () => {
    class Mine extends ConfigurationError {}
    expect(new Mine('x')).toBeInstanceOf(Mine);
    expect(new Mine('x')).toBeInstanceOf(ConfigurationError);
    expect(new ConfigurationError('x') instanceof Mine).toBe(false);
    expect(new Mine('x').name).toBe('ConfigurationError');
  });
});

describe('invalid options are rejected before anything is sent', () => {
  it.each([undefined, null, '', ' ', '.', '..', Number.NaN, 1.5, Number.POSITIVE_INFINITY, {}, [], true, '\ud800'])(
    'the id %j',
    async (id) => {
      await using server = await scripted(json({}));
      const mkt = client(server.url);
      const wrong = id as never;
      await failure(mkt.campaigns.get(5, wrong), ConfigurationError);
      await failure(mkt.campaigns.get(wrong, 5), ConfigurationError);
      await failure(mkt.organization(wrong).campaigns.list(), ConfigurationError);
      await failure(mkt.campaigns.list(wrong).all(), ConfigurationError);
      await failure(mkt.campaigns.publish(5, wrong), ConfigurationError);
      await failure(mkt.organizations.update(wrong, { name: 'x' }), ConfigurationError);
      expect(server.seen).toHaveLength(0);
    },
  );

  it.each([
    ['a/b', 'a%2Fb'],
    ['../1', '..%2F1'],
    ['%2e%2e', '%252e%252e'],
    ['a?b#c', 'a%3Fb%23c'],
    ['mem_5_ada', 'mem_5_ada'],
    ['ü', '%C3%BC'],
  ])('the id %s is sent as one path segment', async (id, segment) => {
    await using server = await scripted(json({}));
    await client(server.url).campaigns.get(5, id);
    expect(server.seen[0]?.url).toBe(`/organizations/5/campaigns/${segment}.json`);
  });

  it.each([
    ['no token', { token: '' }],
    ['a token with white space', { token: 'a b' }],
    ['a token with a line end', { token: 'secret\n' }],
    ['no base address', { baseUrl: '' }],
    ['a base address without a scheme', { baseUrl: 'api.example.com' }],
    ['a base address of another scheme', { baseUrl: 'ftp://api.example.com' }],
    ['a base address with a password', { baseUrl: 'https://ada:hunter2@api.example.com' }],
  ])('%s', (_, options) => {
    const make = () => new Marketplace({ token: 'secret', baseUrl: 'http://localhost', ...options });
    expect(make).toThrow(ConfigurationError);
    expect(make).not.toThrow(/secret|hunter2/);
  });

  it.each([
    ['timeout', 0, 'a number of milliseconds above 0'],
    [
      'retry',
      { minDelay: -5 },
      'the number of extra attempts, false, or an object with limit, minDelay, maxDelay and others',
    ],
    ['validation', 'srict', "'tolerant', 'strict' or 'off'"],
    ['fetch', 5, 'a function'],
    ['middleware', [5], 'a list of functions'],
    ['onDrift', 'log', 'a function'],
    ['cache', true, 'false, or a store with get, set and delete'],
    ['cache', { get: () => undefined }, 'false, or a store with get, set and delete'],
    ['headers', 'x: 1', 'an object, a Headers or pairs'],
    ['retry', { statusCodes: 500 }, 'the number of extra attempts, false, or an object with'],
    ['retry', { shouldRetry: true }, 'the number of extra attempts, false, or an object with'],
    ['onRetry', 'log', 'a function'],
    ['logLevel', 'trace', "'debug', 'info' or 'warn'"],
    ['maxConcurrency', 0, 'a whole number from 1'],
    ['logger', { debug: () => undefined }, 'a function, or an object with debug and warn, such as console'],
  ])('a client whose option %s cannot be meant', (name, value, takes) => {
    const given = { token: 'secret', baseUrl: 'http://localhost', [name]: value } as unknown as MarketplaceOptions;
    expect(() => new Marketplace(given)).toThrow(ConfigurationError);
    expect(() => new Marketplace(given)).toThrow(`The option ${name} takes ${takes}`);
  });

  it.each([
    ['cache', 'never', "'default', 'reload' or 'no-store'"],
    ['signal', {}, 'an AbortSignal'],
    ['onUploadProgress', true, 'a function'],
  ])('a call whose option %s cannot be meant', async (name, value, takes) => {
    await using server = await scripted(json({}));
    const options = { [name]: value } as CallOptions;
    const error = await failure(client(server.url).campaigns.get(5, 1, options), ConfigurationError);
    expect(error.message).toBe(`The option ${name} takes ${takes}.`);
    expect(server.seen).toHaveLength(0);
  });

  const headers = 'an object, a Headers or pairs, with texts as values';
  const query = 'an object of texts and numbers';
  const schema = 'a Standard Schema, such as one of zod';
  it.each([
    ['headers', [5], headers],
    ['headers', [[1, 'x']], headers],
    ['headers', { a: { b: 'x' } }, headers],
    ['headers', [['a', () => 'x']], headers],
    ['headers', { a: Symbol('x') }, headers],
    // Empty for the second request.
    ['headers', new Map([['a', 'x']]).entries(), headers],
    ['query', 'a=1', query],
    ['query', null, query],
    ['query', ['a'], query],
    ['query', new URLSearchParams({ a: '1' }), query],
    ['query', new Map([['a', '1']]), query],
    ['query', { a: { b: 1 } }, query],
    ['query', { a: () => 1 }, query],
    ['schema', null, schema],
    ['schema', {}, schema],
    ['schema', [], schema],
    ['schema', 'id', schema],
    ['schema', 5, schema],
    ['schema', true, schema],
    ['schema', (value: unknown) => value, schema],
    ['schema', { parse: () => 1, safeParse: () => ({ success: true }) }, schema],
    ['schema', { '~standard': null }, schema],
    ['schema', { '~standard': { validate: true } }, schema],
  ])('a request whose option %s cannot be meant: %j', async (name, value, takes) => {
    await using server = await scripted(json({}));
    const call = client(server.url).request('POST', '/x', { [name]: value } as object);
    const error = await failure(call, ConfigurationError);
    expect(error.message).toBe(`The option ${name} takes ${takes}.`);
    expect(error).toMatchObject({ operation: 'request', attempts: 0, mayHaveArrived: false });
    expect(server.seen).toHaveLength(0);
  });

  it('a header that cannot be sent', async () => {
    await using server = await scripted(json({}));
    const error = await failure(
      client(server.url).campaigns.get(5, 1, { headers: { 'x-key': 'hidden\nvalue' } }),
      ConfigurationError,
    );
    expect(error.message).toContain('headers');
    expect(error.message).not.toContain('hidden');
    expect(server.seen).toHaveLength(0);
  });
});

describe('a stack leads to the line that waited', () => {
  it.each([
    ['a status', text(404, '')],
    ['a failed connection', drop],
  ])('%s', async (_, step) => {
    await using server = await scripted(step);
    const mkt = client(server.url, { retry: false });
    async function readOne() {
      await mkt.campaigns.get(5, 1);
    }
    async function readAll() {
      await mkt.campaigns.list(5).all();
    }
    async function publish() {
      await mkt.campaigns.publish(5, 1);
    }
    for (const use of [readOne, readAll, publish])
      expect((await failure(use(), MarketplaceError)).stack).toMatch(new RegExp(`at .*${use.name}`));
  });

  it('in a fetch of the caller, too', async () => {
    const stacks: string[] = [];
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 80;
    const mkt = client('https://api.example.com', {
      retry: false,
      fetch: async () => {
        stacks.push(new Error().stack ?? '');
        return new Response('{}', { status: 404, headers: { 'content-type': 'application/json' } });
      },
    });
    const calls = [() => mkt.campaigns.get(5, 1), () => mkt.campaigns.list(5), () => mkt.campaigns.publish(5, 1)];
    for (const call of calls) {
      await (async function caller() {
        await call().catch(() => undefined);
      })();
    }
    Error.stackTraceLimit = stackTraceLimit;
    expect(stacks.map((stack) => /at .*caller/.test(stack))).toEqual([true, true, true]);
  });

  it('in the fields for fetch, whether the caller waits or not, if a test tool asks for it', async () => {
    const stacks: (string | undefined)[] = [];
    const mkt = client('https://api.example.com', {
      retry: false,
      fetch: async (url, init) => {
        stacks.push((init as { mktAt?: Error }).mktAt?.stack);
        const item = url.endsWith('/1.json') ? { id: 1, status: 'active' } : [{ id: 1 }];
        return Response.json(item, { headers: { 'total-count': '1', 'total-pages': '3' } });
      },
    });
    const acme = mkt.organization(5);
    const uses: Readonly<Record<string, () => unknown>> = {
      notAwaited: () => void mkt.campaigns.get(5, 1),
      caught: () => mkt.campaigns.create(5, { name: 'A' }).catch(() => undefined),
      list: () => void acme.campaigns.list(),
      async loop() {
        for await (const { id } of mkt.collabs.list(5)) expect(id).toBe(1);
      },
      async pages() {
        for await (const { items } of acme.members.list().pages({ to: 2 })) expect(items).toHaveLength(1);
      },
      all: () => void mkt.organizations.list().all(),
      count: () => void mkt.accessTokens.list().count(),
      action: () => mkt.campaigns.publish(5, 1).catch(() => undefined),
      request: () => void mkt.request('PUT', '/me'),
      download: () => void mkt.download('/images/a'),
      each: () => mkt.each([1], (id) => mkt.campaigns.delete(5, id)),
    };
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 80;
    for (const isAsked of [true, false]) {
      Reflect.set(globalThis, 'mktAt', isAsked ? () => ({ mktAt: new Error('here') }) : undefined);
      for (const [name, use] of Object.entries(uses)) {
        stacks.length = 0;
        await use();
        await vi.waitFor(() => expect(stacks.length).toBeGreaterThan(0));
        const own = stacks.map((stack) => stack?.split('\n').some((line) => line.includes(import.meta.filename)));
        expect([name, ...own]).toEqual([name, ...stacks.map(() => isAsked || undefined)]);
        // Requests that follow belong to it.
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
    Error.stackTraceLimit = stackTraceLimit;
    Reflect.deleteProperty(globalThis, 'mktAt');
  });
});

describe('JSON.stringify', () => {
  it('shows the status, headers and body of an HTTP error once, without cookies', async () => {
    const error = await failedWith(
      json(
        { error: 'Nothing here.' },
        { status: 404, headers: { 'set-cookie': 'session=5ecret', 'x-request-id': 'r1' } },
      ),
      NotFoundError,
    );
    const shown = JSON.parse(JSON.stringify(error));
    expect(shown).toMatchObject({
      name: 'NotFoundError',
      message: error.message,
      status: 404,
      method: 'GET',
      url: error.url,
      requestId: 'r1',
      attempts: 1,
      headers: { 'x-request-id': 'r1', 'content-type': 'application/json; charset=utf-8' },
      body: { error: 'Nothing here.' },
    });
    expect(shown).not.toHaveProperty('bodyText');
    expect(JSON.stringify(error)).not.toContain('5ecret');
    expect(error.bodyText).toBe('{"error":"Nothing here."}');
  });

  it.each([
    [new TimeoutError('attempt', 50), { name: 'TimeoutError', phase: 'attempt', timeoutMs: 50 }],
    [new AbortedError('The call was aborted.'), { name: 'AbortError', message: 'The call was aborted.' }],
    [new TransitionError('campaigns.pause', 'draft', 'paused'), { name: 'TransitionError', from: 'draft' }],
    [new ConnectionError('No response.', { cause: { code: 'ECONNREFUSED' } }), { code: 'ECONNREFUSED' }],
  ])('shows the properties of %s', (error, shown) => {
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ message: error.message, ...shown });
  });
});
