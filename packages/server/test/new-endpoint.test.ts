import { body, endpoint, endpoints, itemUrl, resources } from '@mkt/sdk/contract';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod/mini';
import { type Input, type MemberContext, type ResourceContext, rules } from '../src/index.js';
import { demoApi } from './support/api.js';

/** The design's promise: an endpoint is one contract entry and one rule function; everything else follows. */
const slogan = z.looseObject({
  organization_id: z.int(),
  slogan: z.string(),
  note: z.optional(z.string()),
  website: z.nullable(z.string()),
});

const setSlogan = endpoint({
  operation: 'slogans.set',
  method: 'PATCH',
  path: '/organizations/:organization_id/slogan.json',
  role: 'admin',
  request: body('slogan', z.object({ text: z.string() })),
  response: slogan,
  etag: true,
});

const cheer = endpoint({
  operation: 'campaigns.cheer',
  method: 'GET',
  path: '/organizations/:organization_id/campaigns/:id/cheer.json',
  role: 'member',
  response: slogan,
  etag: true,
});

const added = {
  'slogans.set': async ({ store, organizationId }: MemberContext, { fields }: Input<{ text: string }>) => {
    const organization = await store.update('organizations', organizationId, { name: fields.text });
    return { organization_id: organizationId, slogan: `${organization.name}!`, hidden: 'x' };
  },
  'campaigns.cheer': async ({ resource }: ResourceContext<'campaigns'>) => ({
    organization_id: 5,
    slogan: resource.name,
    note: null,
  }),
};

test('routes, roles, bodies, HEAD, ETag and errors follow from one entry and one rule', async () => {
  const api = await demoApi({ endpoints: [...endpoints, setSlogan, cheer], rules: { ...rules, ...added } });
  const path = '/organizations/5/slogan.json';
  const set = (who: string | null, content?: unknown) => api.call(who, 'PATCH', path, { body: content });

  expect((await set('ada_write', { slogan: { text: 'Glow' } })).body).toEqual({
    organization_id: 5,
    slogan: 'Glow!',
    website: null,
  });
  expect((await api.call('ada_write', 'GET', '/organizations/5.json')).body.name).toBe('Glow');
  expect((await set(null)).status).toBe(401);
  expect((await set('ada_read')).status).toBe(401);
  expect((await set('dan_write')).status).toBe(404);
  expect((await set('cleo_write')).status).toBe(403);
  expect((await set('ada_write', {})).status).toBe(400);
  expect((await set('ada_write', { slogan: { text: 5 } })).body.errors).toEqual({ text: ['Text must be text.'] });
  expect((await api.call('ada_write', 'GET', path)).headers.get('allow')).toBe('PATCH');

  const shown = await api.call('cleo_write', 'GET', '/organizations/5/campaigns/3/cheer.json');
  expect(shown.body).toEqual({ organization_id: 5, slogan: expect.any(String), website: null });
  const again = { headers: { 'if-none-match': shown.headers.get('etag') as string } };
  expect((await api.call('cleo_write', 'HEAD', '/organizations/5/campaigns/3/cheer', again)).status).toBe(304);
  expect((await api.call('cleo_write', 'GET', '/organizations/5/campaigns/1/cheer.json')).status).toBe(404);
});

/** A list below a campaign. `e2e/nested-list.test.ts` takes one with a table through seeds, mock, SDK, command line, drift and twins. */
const submission = z.looseObject({ id: z.int(), creator: z.string(), url: z.string() });
const submissions = endpoint({
  operation: 'campaigns.submissions',
  method: 'GET',
  path: '/organizations/:organization_id/campaigns/:campaign_id/submissions.json',
  role: 'member',
  response: submission,
  paginated: true,
});
const rows = [{ id: 1, creator: 'Cleo', url: 'https://video.example/1' }];

test('a list below an item has the item of its path, its content in the field url, and pages of its own', async () => {
  const api = await demoApi({
    endpoints: [...endpoints, submissions],
    rules: {
      ...rules,
      'campaigns.submissions': async ({ resource }: ResourceContext<'campaigns'>) =>
        resource.id === 3 ? { items: rows, total: 1 } : { items: [], total: 0 },
    },
  });
  // The contract says what the fields of the rows are.
  const kinds = { rows: { submissions: { id: ['id', 'identity'], creator: 'text', url: 'url' } } };
  Object.assign(resources.campaigns, kinds);
  onTestFinished(() => {
    Reflect.deleteProperty(resources.campaigns, 'rows');
  });
  const path = (campaign: number) => `/organizations/5/campaigns/${campaign}/submissions`;
  const listed = await api.call('cleo_write', 'GET', `${path(3)}.json`);
  expect([listed.status, listed.headers.get('total-count'), listed.body]).toEqual([200, '1', rows]);
  expect((await api.call('cleo_write', 'GET', `${path(4)}.json`)).body).toEqual([]);
  // Members see no drafts.
  for (const campaign of [1, 999]) {
    const { status, body } = await api.call('cleo_write', 'GET', `${path(campaign)}.json`);
    expect([status, body.error]).toEqual([404, expect.stringContaining(`Campaign ${campaign} was not found.`)]);
  }
  expect((await api.call('ada_write', 'POST', `${path(3)}.json`)).status).toBe(405);
  expect((await api.call('ada_write', 'GET', '/organizations/5/campaigns/3.json')).body.url).toMatch(
    /campaigns\/3.json$/,
  );

  const page = await api.call('ada_write', 'GET', path(3), { accept: null });
  expect(page.text).toContain('<h1>Submissions</h1>');
  expect(page.text).toContain('<a href="/organizations/5/campaigns/3">');
  expect(page.text).toContain('<a href="https://video.example/1"');
  const parent = await api.call('ada_write', 'GET', '/organizations/5/campaigns/3', { accept: null });
  expect(parent.text).toContain(`<a href="${path(3)}">Submissions</a>`);
  expect(parent.text).toContain('1 submission<');
});

test('the address of an item is set in the field that the contract says, in a list too', async () => {
  const note = z.looseObject({ id: z.int(), link: itemUrl, url: z.string() });
  const path = '/organizations/:organization_id/notes.json';
  const [list, one] = [
    endpoint({ operation: 'notes.list', method: 'GET', path, role: 'member', response: note, paginated: true }),
    endpoint({
      operation: 'notes.get',
      method: 'GET',
      path: path.replace('.json', '/:id.json'),
      role: 'member',
      response: note,
    }),
  ];
  const row = { id: 4, organization_id: 5, url: 'https://content.example' };
  const added = { 'notes.list': async () => ({ items: [row], total: 1 }), 'notes.get': async () => row };
  const api = await demoApi({ endpoints: [...endpoints, list, one], rules: { ...rules, ...added } });
  const expected = {
    id: 4,
    link: 'http://localhost:4010/organizations/5/notes/4.json',
    url: 'https://content.example',
  };
  expect((await api.call('ada_write', 'GET', '/organizations/5/notes.json')).body).toEqual([expected]);
  expect((await api.call('ada_write', 'GET', '/organizations/5/notes/4.json')).body).toEqual(expected);
});

test('every operation of the contract has the rule of its name, and there are no others', () => {
  expect(Object.keys(rules).sort()).toEqual(endpoints.map(({ operation }) => operation).sort());
});

test('an endpoint without a rule is found at the start, not by its first caller', async () => {
  await expect(demoApi({ endpoints: [...endpoints, setSlogan] })).rejects.toThrow('slogans.set has no rule');
});
