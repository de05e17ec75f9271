// A resource of the contract whose items are below another item: `GET .../campaigns/3/notes/1.json`. Its parts are added to the
// modules that have them for all resources.
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import type { MemberResourceContext, ResourceContext } from '../src/index.js';

type Contract = typeof import('@mkt/sdk/contract');

const path = '/organizations/:organization_id/campaigns/:campaign_id/notes.json';

function endpointsOf({ endpoint, itemUrl }: Contract) {
  const response = z.looseObject({ id: z.int(), text: z.string(), url: itemUrl });
  const common = { role: 'member', response } as const;
  return {
    list: endpoint({ operation: 'notes.list', method: 'GET', path, ...common, paginated: true }),
    get: endpoint({ operation: 'notes.get', method: 'GET', path: path.replace('.json', '/:id.json'), ...common }),
    create: endpoint({ operation: 'notes.create', method: 'POST', path, ...common, status: 201 }),
  };
}

// Like a row of a table that refers only to the campaign.
const row = { id: 1, campaign_id: 3, text: 'Ask for a longer cut' };
const notes = {
  'notes.list': async ({ resource }: ResourceContext<'campaigns'>) =>
    resource.id === 3 ? { items: [row], total: 1 } : { items: [], total: 0 },
  'notes.get': async ({ resource }: MemberResourceContext<'campaigns'>) => resource,
  'notes.create': async () => row,
};

const contractModule = '@mkt/sdk/contract';
const webModule = '../src/web/page-descriptions.js';
async function modules() {
  vi.resetModules();
  vi.doMock(contractModule, async (original) => {
    const contract = await original<Contract>();
    const shape = contract.shapeOf(path.replace('.json', '/:id'));
    return {
      ...contract,
      resources: { ...contract.resources, notes: { ...contract.resources.campaigns, name: 'notes', singular: 'note' } },
      resourceAt: (at: string) => (contract.shapeOf(at) === shape ? 'notes' : contract.resourceAt(at)),
    };
  });
  const contract = await import('@mkt/sdk/contract');
  const { list, get, create } = endpointsOf(contract);
  vi.doMock(webModule, async (original) => {
    const web = await original<typeof import('../src/web/page-descriptions.js')>();
    const resource = { ...web.pageDescriptionOf('notes'), heading: 'Notes' };
    return {
      ...web,
      pageDescriptions: [...web.pageDescriptions, resource],
      endpointFor: (...[of, action]: Parameters<typeof web.endpointFor>) =>
        of === resource ? (action === 'list' ? list : null) : web.endpointFor(of, action),
    };
  });
  const { rules } = await import('../src/index.js');
  const { visible } = await import('../src/rules/policy.js');
  const { demoApi } = await import('./support/api.js');
  const { demoSite } = await import('./support/visitor.js');
  const options = { endpoints: [...contract.endpoints, list, get, create], rules: { ...rules, ...notes } };
  return {
    lookups: visible as Record<string, unknown>,
    api: () => demoApi(options),
    site: () => demoSite({}, options),
  };
}

// Test files share modules, so these are loaded again.
let { lookups, api, site } = {} as Awaited<ReturnType<typeof modules>>;
beforeAll(async () => {
  ({ lookups, api, site } = await modules());
});
afterAll(() => {
  vi.doUnmock(contractModule);
  vi.doUnmock(webModule);
  vi.resetModules();
});

afterEach(() => {
  delete lookups.notes;
});

test('an item below an item is found in the item that the path names, and its address has the ids of the path', async () => {
  lookups.notes = async ({ id, above }: { id: string; above: { id: number } | null }) =>
    id === '1' && above?.id === row.campaign_id ? row : null;
  const { call } = await api();
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

test('the page that deletes an organization counts only the lists directly below it', async () => {
  lookups.notes = async () => null;
  const ada = await (await site()).signedIn('ada_write');
  const { status, text } = await ada.get('/organizations/5/delete');
  expect(status).toBe(200);
  expect(text).toContain('Campaigns');
  expect(text).not.toContain('Notes');
});
