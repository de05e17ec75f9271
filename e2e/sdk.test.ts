import { createMarketplaceMock } from '@mkt/mock-server/fetch';
import {
  AuthenticationError,
  type CampaignListItem,
  Marketplace,
  NotFoundError,
  PermissionError,
  TransitionError,
  ValidationError,
} from '@mkt/sdk';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Environment, environments } from './support/environments.js';

/** One program against every body of the marketplace: the answers are the same, or the mock is a lie. */
describe.each(Object.entries(environments))('%s', (_name, open) => {
  let environment: Environment;
  let mkt: Marketplace;
  let acme: number | string;
  const campaign = (number: number) => environment.idOf('campaigns', number);
  const clientOf = (who: keyof Environment['tokens']): Marketplace =>
    new Marketplace({
      token: environment.tokens[who],
      baseUrl: environment.baseUrl,
      ...(environment.fetch ? { fetch: environment.fetch } : {}),
    });

  beforeEach(async () => {
    environment = await open();
    mkt = clientOf('ada_write');
    acme = environment.idOf('organizations', 5);
  });
  afterEach(() => environment.close());

  test('lists: first page, all items in order, count', async () => {
    const page = await mkt.campaigns.list(acme);
    expect([page.items.length, page.number, page.totalCount, page.totalPages]).toEqual([20, 1, 45, 3]);
    const all: CampaignListItem[] = await mkt.organization(acme).campaigns.list().all();
    expect(all.map(({ id }) => id)).toEqual(Array.from({ length: 45 }, (_, index) => campaign(index + 1)));
    const walked: unknown[] = [];
    for await (const { id } of mkt.campaigns.list(acme)) walked.push(id);
    expect(walked).toEqual(all.map(({ id }) => id));
    expect(await mkt.collabs.list(acme).count()).toBe(23);
    expect((await mkt.organizations.list()).items.map(({ name }) => name)).toEqual(['Acme Cosmetics', 'Initech Audio']);
  });

  test('a show comes from the cache after a 304, and fresh after a write', async () => {
    const first = await mkt.campaigns.get(acme, campaign(3)).withResponse();
    const second = await mkt.campaigns.get(acme, campaign(3)).withResponse();
    expect([first.meta.fromCache, second.meta.fromCache]).toEqual([false, true]);
    expect(second.data).toEqual(first.data);
    await mkt.campaigns.update(acme, campaign(3), { name: 'Renamed' });
    expect((await mkt.campaigns.get(acme, campaign(3))).name).toBe('Renamed');
  });

  test('create, publish, pause, resume, delete', async () => {
    const campaigns = mkt.organization(acme).campaigns;
    const created = await campaigns.create({ name: 'Launch', brief: '<p>Hi<script>x</script></p>' });
    expect(created).toMatchObject({ status: 'draft', website: 'https://acme.example', brief: '<p>Hi</p>' });
    expect((await campaigns.publish(created.id)).status).toBe('active');
    expect((await campaigns.pause(created.id)).status).toBe('paused');
    expect((await campaigns.resume(created.id)).status).toBe('active');
    await expect(campaigns.delete(created.id)).rejects.toThrow(ValidationError);
    const draft = campaign(1);
    await campaigns.delete(draft);
    await expect(campaigns.get(draft)).rejects.toThrow(NotFoundError);
  });

  test('a refused transition names the state; being there already is success (D40)', async () => {
    await expect(mkt.campaigns.resume(acme, campaign(1))).rejects.toMatchObject({ from: 'draft', wanted: 'active' });
    await expect(mkt.campaigns.resume(acme, campaign(1))).rejects.toThrow(TransitionError);
    expect((await mkt.campaigns.pause(acme, campaign(4))).status).toBe('paused');
  });

  test('a logo is uploaded and shown', async () => {
    const png = new Uint8Array([
      0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0, 0, 0, 0, 0, 0, 0, 0,
    ]);
    const logo = new File([png], 'logo.png', { type: 'image/png' });
    const made = await mkt.organizations.create({ name: 'Ünïcode & Co', privacy_setting: 'private', logo });
    expect(made).toMatchObject({ name: 'Ünïcode & Co', privacy_setting: 'private' });
    const picture = await (environment.fetch ?? fetch)(made.logo_url as string);
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(new Uint8Array(await picture.arrayBuffer())).toEqual(png);
  });

  test('failures are what they are called', async () => {
    await expect(mkt.campaigns.create(acme, { name: ' ', cpm_amount: -1 })).rejects.toMatchObject({
      status: 422,
      fieldErrors: { name: ['Name must not be blank.'], cpm_amount: ['Cpm amount must be 0 or more.'] },
    });
    await expect(clientOf('cleo_write').campaigns.update(acme, campaign(3), { name: 'x' })).rejects.toThrow(
      PermissionError,
    );
    await expect(clientOf('ada_read').address.delete()).rejects.toThrow(AuthenticationError);
    await expect(clientOf('dan_write').campaigns.list(acme)).rejects.toThrow(NotFoundError);
  });

  test("the user's own: tokens, accounts, address; and members", async () => {
    const token = await mkt.accessTokens.create({ description: 'CI', permission: 'read' });
    expect(token.token).toMatch(/^mkt_/);
    await mkt.accessTokens.delete(token.id);
    const account = await mkt.socialAccounts.create({
      platform_id: 'tiktok',
      account_url: 'https://www.tiktok.com/@new',
    });
    expect(account).toMatchObject({ uid: 'new', status: 'pending', subscriber_count: null });
    await mkt.socialAccounts.delete(account.id);
    await mkt.address.delete();
    await expect(mkt.address.get()).rejects.toThrow(NotFoundError);
    const address = {
      address_one: '1 Main',
      city: 'X',
      state: 'Y',
      postal_code: '1',
      country_code: 'US',
      latitude: 1.5,
    };
    expect((await mkt.address.update(address)).latitude).toBe('1.5');
    const changed = await mkt.members.update(acme, `mem_${acme}_cleo`, { role: 'admin' });
    expect([changed.role, changed.user.name]).toEqual(['admin', 'Cleo Martin']);
    await mkt.members.remove(acme, `mem_${acme}_cleo`);
    expect(await mkt.members.list(acme).count()).toBe(2);
  });

  test('a collab from draft to published', async () => {
    const published = environment.idOf('collabs', 3);
    const collab = await mkt.collabs.create(acme);
    expect(collab).toMatchObject({ name: 'Untitled collab', countries: ['US', 'CA'], state: 'draft' });
    expect((await mkt.collabs.submit(acme, collab.id)).state).toBe('submitted_for_review');
    expect((await mkt.collabs.pause(acme, published)).state).toBe('paused');
    expect((await mkt.collabs.unpause(acme, published)).state).toBe('published');
  });
});

test.each(['integer', 'opaque'] as const)('everything of the live service at once, with %s ids (D129)', async (ids) => {
  const { baseUrl, fetch, idOf, tokens } = createMarketplaceMock({ ids, like: 'live' });
  const acme = idOf('organizations', 5);
  const mkt = new Marketplace({ baseUrl, fetch, token: tokens.ada_write });
  const page = await mkt.campaigns.list(acme);
  expect([page.items.length, page.totalCount, page.totalPages]).toEqual([20, null, null]);
  const all = await mkt.campaigns.list(acme).all();
  expect(all.map(({ id }) => id)).toEqual(Array.from({ length: 45 }, (_, index) => idOf('campaigns', index + 1)));
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['draft', 'active', 'paused', 'archived']));
  const { data, meta } = await mkt.campaigns.get(acme, idOf('campaigns', 1)).withResponse();
  expect(data).toMatchObject({ status: 'draft', is_archived: false });
  expect(data).not.toHaveProperty('published_at');
  expect(meta.issues.map(({ path }) => path.join('.'))).toContain('published_at');
  expect((await mkt.campaigns.publish(acme, data.id)).status).toBe('active');
  await expect(mkt.campaigns.get(acme, 'none')).rejects.toThrow(NotFoundError);
  await expect(new Marketplace({ baseUrl, fetch, token: 'wrong' }).campaigns.list(acme)).rejects.toThrow(
    AuthenticationError,
  );
});
