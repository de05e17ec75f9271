import { body, endpoint, endpoints } from '@mkt/sdk/contract';
import { expect, test } from 'vitest';
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

test('every operation of the contract has the rule of its name, and there are no others', () => {
  expect(Object.keys(rules).sort()).toEqual(endpoints.map(({ operation }) => operation).sort());
});

test('an endpoint without a rule is found at the start, not by its first caller', async () => {
  await expect(demoApi({ endpoints: [...endpoints, setSlogan] })).rejects.toThrow('slogans.set has no rule');
});
