// A resource of the contract whose items are below another item: `GET .../campaigns/3/notes/1.json`. Its parts are added to the
// modules that have them for all resources.
import { type Endpoint, endpoint, endpoints, itemUrl } from '@mkt/sdk/contract';
import { afterEach, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { type MemberResourceContext, type ResourceContext, rules } from '../src/index.js';
import { visible } from '../src/rules/policy.js';
import { demoApi } from './support/api.js';
import { demoSite } from './support/visitor.js';

const path = vi.hoisted(() => '/organizations/:organization_id/campaigns/:campaign_id/notes.json');

vi.mock('@mkt/sdk/contract', async (original) => {
  const contract = await original<typeof import('@mkt/sdk/contract')>();
  const shape = contract.shapeOf(path.replace('.json', '/:id'));
  return {
    ...contract,
    resources: { ...contract.resources, notes: { ...contract.resources.campaigns, name: 'notes', singular: 'note' } },
    resourceAt: (at: string) => (contract.shapeOf(at) === shape ? 'notes' : contract.resourceAt(at)),
  };
});
vi.mock('../src/web/resources.js', async (original) => {
  const web = await original<typeof import('../src/web/resources.js')>();
  const notes = { ...web.resourceOf('notes'), heading: 'Notes' };
  return {
    ...web,
    resources: [...web.resources, notes],
    endpointFor: (...[resource, action]: Parameters<typeof web.endpointFor>) =>
      resource === notes ? (action === 'list' ? list : null) : web.endpointFor(resource, action),
  };
});

const note = z.looseObject({ id: z.int(), text: z.string(), url: itemUrl });
const common = { role: 'member', response: note } as const;
const list = endpoint({ operation: 'notes.list', method: 'GET', path, ...common, paginated: true });
const get = endpoint({ operation: 'notes.get', method: 'GET', path: path.replace('.json', '/:id.json'), ...common });
const create = endpoint({ operation: 'notes.create', method: 'POST', path, ...common, status: 201 });

// Like a row of a table that refers only to the campaign.
const row = { id: 1, campaign_id: 3, text: 'Ask for a longer cut' };
const notes = {
  'notes.list': async ({ resource }: ResourceContext<'campaigns'>) =>
    resource.id === 3 ? { items: [row], total: 1 } : { items: [], total: 0 },
  'notes.get': async ({ resource }: MemberResourceContext<'campaigns'>) => resource,
  'notes.create': async () => row,
};
const added: readonly Endpoint[] = [...endpoints, list, get, create];
const options = { endpoints: added, rules: { ...rules, ...notes } };
const lookups = visible as Record<string, unknown>;

afterEach(() => {
  delete lookups.notes;
});

test('an item below an item is found in the item that the path names, and its address has the ids of the path', async () => {
  lookups.notes = async ({ id, above }: { id: string; above: { id: number } | null }) =>
    id === '1' && above?.id === row.campaign_id ? row : null;
  const { call } = await demoApi(options);
  const one = '/organizations/5/campaigns/3/notes/1.json';
  const expected = { id: 1, text: row.text, url: `http://localhost:4010${one}` };
  expect((await call('ada_write', 'GET', one)).body).toEqual(expected);
  expect((await call('ada_write', 'GET', '/organizations/5/campaigns/3/notes.json')).body).toEqual([expected]);
  const created = await call('ada_write', 'POST', '/organizations/5/campaigns/3/notes.json');
  expect([created.body, created.headers.get('location')]).toEqual([expected, expected.url]);
  for (const [at, what] of [
    ['/organizations/5/campaigns/4/notes/1.json', 'Note 1'],
    ['/organizations/5/campaigns/3/notes/2.json', 'Note 2'],
    ['/organizations/5/campaigns/999/notes/1.json', 'Campaign 999'],
  ] as const)
    expect((await call('ada_write', 'GET', at)).body.error).toContain(`${what} was not found.`);
});

test('a resource that policy.ts cannot find is an error at the start, not the item above it', async () => {
  await expect(demoApi(options)).rejects.toThrow('notes.get: add how notes are found to "visible" in rules/policy.ts.');
});

test('the page that deletes an organization counts only the lists directly below it', async () => {
  lookups.notes = async () => null;
  const ada = await (await demoSite({}, options)).signedIn('ada_write');
  const { status, text } = await ada.get('/organizations/5/delete');
  expect(status).toBe(200);
  expect(text).toContain('Campaigns');
  expect(text).not.toContain('Notes');
});
