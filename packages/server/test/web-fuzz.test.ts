import { endpoints } from '@mkt/sdk/contract';
import fc from 'fast-check';
import { beforeAll, expect, test, vi } from 'vitest';
import { demoSeed } from '../src/index.js';
import { fieldsOf } from '../src/rules/fields.js';
import { isLong } from './support/long.js';
import { demoSite, type Site, type Visitor } from './support/visitor.js';

vi.setConfig({ testTimeout: isLong ? 3_600_000 : 60_000 });

const unexpected: unknown[] = [];
let site: Site;
beforeAll(async () => {
  site = await demoSite({}, { onError: (error) => unexpected.push(error) });
});

const id = fc.constantFrom(
  '1',
  '2',
  '3',
  '5',
  '7',
  '47',
  '999',
  'mem_5_ben',
  'mem_5_ada',
  'new',
  '0',
  '-1',
  '%00',
  '..',
  '%F0%9F%8C%B8',
);
const path = fc
  .tuple(
    fc.constantFrom(...endpoints.map((endpoint) => endpoint.path)),
    fc.constantFrom('5', '6', '7', '10', '999', 'x'),
    id,
  )
  .map(([template, organization, id]) => template.replace(':organization_id', organization).replace(':id', id));
const page = fc
  .tuple(
    path,
    fc.constantFrom('', '/new', '/edit', '/delete', '?page=2', '?page=x', '?as=json', '?website=https://x.example'),
  )
  .map(([base, end]) => base.replace('.json', '') + end);

const wrappers = [...new Set(endpoints.flatMap(({ request }) => (request ? [request] : [])))];
const fieldName = fc.oneof(
  fc.constantFrom(
    ...wrappers.flatMap(({ wrapper, fields }) => Object.keys(fieldsOf(fields)).map((name) => `${wrapper}[${name}]`)),
  ),
  fc.constantFrom(
    'organization[logo]',
    'purge_logo',
    '_method',
    '__proto__',
    'campaign[__proto__]',
    'campaign[constructor]',
    'campaign[]',
    'campaign',
    '',
  ),
);
const fieldValue = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '0',
    '-1',
    '1e9',
    '99999999999999999999',
    'true',
    'US',
    'US,US',
    'usd',
    'admin',
    'write',
    'https://x.example/a',
    '\0',
    '\ud800',
    '<script>',
  ),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
);
const form = fc.array(fc.tuple(fieldName, fieldValue), { maxLength: 8 });

/** Whatever happened, it is one of the answers that a page knows, and it is HTML or leads on. */
const fine = (status: number): void => expect([200, 303, 400, 401, 403, 404, 405, 413, 415, 422]).toContain(status);

test('no page fails, whatever a signed-in browser requests or sends', async () => {
  const people = await Promise.all(
    ['ada_write', 'ada_read', 'cleo_write', 'eve_write'].map((who) => site.signedIn(who)),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...people),
      page,
      path,
      form,
      fc.boolean(),
      fc.constantFrom('', 'patch', 'delete', 'get', 'x'),
      async (visitor: Visitor, seen, target, fields, multipart, method) => {
        const shown = await visitor.get(seen);
        fine(shown.status);
        const csrf = (await visitor.get('/organizations')).form('/sign_out').csrf_token ?? '';
        const sent = multipart ? new FormData() : new URLSearchParams();
        sent.append('csrf_token', csrf);
        if (method !== '') sent.append('_method', method);
        for (const [name, value] of fields) sent.append(name, value);
        const answer = await visitor.fetch(target, { method: 'POST', body: sent });
        fine(answer.status);
        expect(unexpected).toEqual([]);
        // Resets the data, because a token may have been revoked, or a member may have left.
        await site.store.load(demoSeed());
      },
    ),
    { numRuns: isLong ? 3000 : 150 },
  );
});

test('invalid cookies neither sign in a user nor cause failures', async () => {
  const cookie = fc.oneof(
    fc.string({ maxLength: 200 }),
    fc.stringMatching(/^\d{1,3}\.\d{10}\.[\w-]{43}$/),
    fc.constantFrom('%', '%E0%A4%A', '"', '=', ';;'),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('session', 'visit', 'flash'), cookie, async (name, value) => {
      const visitor = site.visitor();
      visitor.cookies.set(`mkt_${name}_4010`, value.replace(/[^\x21-\x7e]/g, '?'));
      expect((await visitor.get('/organizations')).status).toBe(303);
      expect((await visitor.get('/sign_in')).status).toBe(200);
      expect(unexpected).toEqual([]);
    }),
    { numRuns: isLong ? 2000 : 100 },
  );
});
