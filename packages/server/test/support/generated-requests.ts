import { type Endpoint, endpoints } from '@mkt/sdk/contract';
import fc from 'fast-check';
import { gif, png, svg } from './pictures.js';

/** A request as data, so that a failing one can be read, shrunk and sent again. */
export interface GeneratedRequest {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: GeneratedBody;
}
export type GeneratedBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'raw'; readonly text: string }
  | {
      readonly kind: 'form';
      readonly fields: readonly (readonly [string, string])[];
      readonly logo: Uint8Array | null;
    };

const people = ['ada_write', 'ada_read', 'ben_write', 'cleo_write', 'dan_write', 'eve_write'] as const;

const oddText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    '\ud800',
    "'; drop table users; --",
    '<script>alert(1)</script>',
    'x'.repeat(300),
    '😀'.repeat(255),
    '\u202e',
    '__proto__',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
const odd = fc.oneof(
  oddText,
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(null, -1, 1.5, 2 ** 53, Number.MAX_SAFE_INTEGER, 1e300, true, [], {}),
);

/** Something that each field takes, by its name: names mean the same on every resource. */
const good: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).map((text) => `n${text}`),
  description: fc.constantFrom('CI', 'laptop'),
  permission: fc.constantFrom('read', 'write'),
  privacy_setting: fc.constantFrom('public', 'private', 'restricted'),
  website: fc.constantFrom('https://example.com', 'http://x.example/a?b', null, ''),
  purge_logo: fc.constantFrom('1', '0', 1, true),
  purge_banner_image: fc.constantFrom('1', '0', 1, true),
  role: fc.constantFrom('member', 'admin'),
  content_type: fc.constantFrom('ugc', 'clip_2'),
  category: fc.constantFrom('product', 'a-b'),
  currency: fc.constantFrom('usd', 'eur', 'jpy'),
  cpm_amount: fc.maxSafeNat(),
  min_payout_amount: fc.nat(2000),
  max_payout_amount: fc.integer({ min: 900, max: 20_000 }),
  base_reward_amount: fc.nat(),
  platform_ids: fc.subarray(['youtube', 'tiktok', 'new_one']),
  countries: fc.subarray(['US', 'CA', 'DE']),
  tiktok_music_id: fc.constantFrom('7018', null),
  brief: fc.constantFrom('<p>Hi</p>', '<b onclick=x>x', '<<script>script>', null, ''),
  require_spark_ads: fc.boolean(),
  requires_product_shipment: fc.boolean(),
  platform_id: fc.constantFrom('tiktok', 'youtube'),
  account_url: fc.nat(30).map((number) => `https://www.tiktok.com/@u${number}`),
  address_one: fc.constant('1 Main St'),
  address_two: fc.constantFrom('Flat 2', null),
  city: fc.constant('Springfield'),
  state: fc.constant('IL'),
  postal_code: fc.constant('62701'),
  country_code: fc.constantFrom('US', 'DE'),
  latitude: fc.constantFrom(1.5, '-45.25', 90, null),
  longitude: fc.constantFrom(-180, '0.00000001', null),
  google_place_id: fc.constantFrom('abc', null),
};

const fieldNames = (endpoint: Endpoint): readonly string[] =>
  Object.keys((endpoint.request?.fields as unknown as { shape: object } | undefined)?.shape ?? {});

/** The fields of an endpoint: mostly valid ones, sometimes one or two invalid ones, sometimes also unknown ones. */
function fieldsOf(endpoint: Endpoint): fc.Arbitrary<Record<string, unknown>> {
  const names = fieldNames(endpoint);
  const record = (value: (name: string) => fc.Arbitrary<unknown>) =>
    Object.fromEntries(names.map((name) => [name, value(name)]));
  const fine = fc.record(
    record((name) => good[name] ?? odd),
    { requiredKeys: names.filter((name) => name === 'name') as never[] },
  );
  const near = fc
    .tuple(
      fine,
      fc.subarray([...names], { minLength: 1, maxLength: Math.min(2, names.length) }),
      fc.array(odd, { minLength: 2, maxLength: 2 }),
    )
    .map(([fields, spoilt, values]) => ({
      ...fields,
      ...Object.fromEntries(spoilt.map((name, index) => [name, values[index]])),
    }));
  const unknown = fc
    .tuple(fine, fc.dictionary(fc.string(), fc.jsonValue()))
    .map(([fields, more]) => ({ ...more, id: 1, status: 'active', ...fields }));
  return fc.oneof(
    { weight: 5, arbitrary: fine },
    { weight: 4, arbitrary: near },
    { weight: 1, arbitrary: unknown },
  ) as fc.Arbitrary<Record<string, unknown>>;
}

function bodyOf(endpoint: Endpoint): fc.Arbitrary<GeneratedBody> {
  const none = fc.constant<GeneratedBody>({ kind: 'none' });
  const { request } = endpoint;
  if (!request) return none;
  const fields = fieldsOf(endpoint);
  const json = fields.map((value): GeneratedBody => ({ kind: 'json', value: { [request.wrapper]: value } }));
  const wrong = fc.jsonValue().map((value): GeneratedBody => ({ kind: 'json', value }));
  const raw = oddText.map((text): GeneratedBody => ({ kind: 'raw', text }));
  const form = fc.tuple(fields, fc.constantFrom(null, png, gif, svg, new Uint8Array())).map(
    ([values, logo]): GeneratedBody => ({
      kind: 'form',
      fields: Object.entries(values).map(
        ([name, value]) =>
          [`${request.wrapper}[${name}]`, typeof value === 'string' ? value : JSON.stringify(value)] as const,
      ),
      logo,
    }),
  );
  const rest = [
    { weight: 1, arbitrary: wrong },
    { weight: 1, arbitrary: raw },
    { weight: 1, arbitrary: none },
  ];
  return fc.oneof({ weight: 8, arbitrary: json }, ...rest, { weight: endpoint.request?.file ? 6 : 1, arbitrary: form });
}

const numbers = (max: number) => fc.integer({ min: 1, max }).map(String);
const oddSegment = fc.oneof(
  fc.constantFrom(
    '0',
    '-1',
    '01',
    '1.5',
    '9'.repeat(25),
    'x',
    '%00',
    '%ff',
    '..',
    '.json',
    'mem_5_ada%0a',
    '1%2F2',
    '~',
    "1'",
    '٣',
  ),
  fc
    .string({ unit: 'binary', minLength: 1, maxLength: 12 })
    .map((text) => encodeURIComponent(text.replace(/[\ud800-\udfff]/g, '?'))),
);
const mostly = (usual: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: oddSegment });

/** Ids that exist in the demo data, some that may come to exist, and odd ones. */
const ids: Readonly<Record<string, fc.Arbitrary<string>>> = {
  accessTokens: mostly(numbers(10)),
  organizations: mostly(numbers(13)),
  members: mostly(
    fc.constantFrom(
      'mem_5_ada',
      'mem_5_ben',
      'mem_5_cleo',
      'mem_6_dan',
      'mem_7_ada',
      'mem_8_ben',
      'mem_8_cleo',
      'mem_10_ben',
    ),
  ),
  campaigns: mostly(fc.oneof(numbers(50), fc.constantFrom('1', '2', '3', '4', '5'))),
  collabs: mostly(numbers(27)),
  socialAccounts: mostly(numbers(6)),
};
const organizationIds = mostly(fc.constantFrom('5', '5', '5', '6', '7', '8', '9', '10', '11', '99'));

function pathOf(endpoint: Endpoint): fc.Arbitrary<string> {
  const [resource = ''] = endpoint.operation.split('.');
  const suffix = fc.constantFrom('.json', '.json', '.json', '');
  const page = fc.constantFrom(
    '',
    '',
    '?page=1',
    '?page=2',
    '?page=0',
    '?page=x',
    '?page=99999999999999999999',
    '?page=1&page=1',
    '?x=%',
    '?',
  );
  return fc.tuple(organizationIds, ids[resource] ?? fc.constant(''), suffix, page).map(
    ([organization, id, end, query]) =>
      endpoint.path
        .replace(':organization_id', organization)
        .replace(':id', id)
        .replace(/\.json$/, '') +
      end +
      query,
  );
}

const headersOf = (body: GeneratedBody): fc.Arbitrary<Record<string, string>> =>
  fc
    .record(
      {
        authorization: fc.oneof(
          { weight: 30, arbitrary: fc.constantFrom(...people).map((who) => `Bearer mkt_demo_${who}`) },
          { weight: 1, arbitrary: fc.constantFrom('Bearer mkt_demo_ada_revoked', 'Bearer nope', 'Basic x', '') },
        ),
        'content-type': fc.oneof(
          { weight: 20, arbitrary: fc.constant('application/json') },
          {
            weight: 1,
            arbitrary: fc.constantFrom(
              'text/plain',
              'multipart/form-data',
              'multipart/form-data; boundary=x',
              'application/json; charset=utf-16',
              '',
            ),
          },
        ),
        'if-none-match': fc.constantFrom('*', 'W/"x"', '"', ',,,', 'W/"x", *'),
        origin: fc.constantFrom('http://localhost:3000', 'https://evil.example', 'null'),
        'x-request-id': fc.constantFrom('abc', 'x'.repeat(200), '"'),
      },
      { requiredKeys: ['authorization'] },
    )
    .map((headers) => {
      const all: Record<string, string> = { accept: 'application/json', ...headers };
      if (body.kind === 'json') all['content-type'] ??= 'application/json';
      // A form brings its own type, with its boundary.
      if (body.kind === 'form') delete all['content-type'];
      return all;
    });

/** Any request to one endpoint: valid, nearly valid, or nonsense. */
const requestTo = (endpoint: Endpoint): fc.Arbitrary<GeneratedRequest> =>
  fc.tuple(pathOf(endpoint), bodyOf(endpoint)).chain(([path, body]) =>
    headersOf(body).map((headers) => ({
      operation: endpoint.operation,
      method: endpoint.method,
      path,
      headers,
      body,
    })),
  );

export const anyRequest: fc.Arbitrary<GeneratedRequest> = fc.oneof(...endpoints.map(requestTo));

export function toRequest({ method, path, headers, body }: GeneratedRequest): Request {
  const init: RequestInit = { method, headers };
  if (body.kind === 'json') init.body = JSON.stringify(body.value);
  if (body.kind === 'raw') init.body = body.text;
  if (body.kind === 'form') {
    const form = new FormData();
    for (const [name, value] of body.fields) form.append(name, value);
    if (body.logo) form.append('organization[logo]', new File([body.logo as BlobPart], 'logo'));
    init.body = form;
  }
  return new Request(`http://localhost${path}`, init);
}
