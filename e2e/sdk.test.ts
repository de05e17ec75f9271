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
  const clientOf = (who: keyof Environment['tokens']): Marketplace =>
    new Marketplace({
      token: environment.tokens[who],
      baseUrl: environment.baseUrl,
      ...(environment.fetch ? { fetch: environment.fetch } : {}),
    });

  beforeEach(async () => {
    environment = await open();
    mkt = clientOf('ada_write');
  });
  afterEach(() => environment.close());

  test('lists: first page, all items in order, count', async () => {
    const page = await mkt.campaigns.list(5);
    expect([page.items.length, page.number, page.totalCount, page.totalPages]).toEqual([20, 1, 45, 3]);
    const all: CampaignListItem[] = await mkt.organization(5).campaigns.list().all();
    expect(all.map(({ id }) => id)).toEqual(Array.from({ length: 45 }, (_, index) => index + 1));
    const walked: unknown[] = [];
    for await (const { id } of mkt.campaigns.list(5)) walked.push(id);
    expect(walked).toEqual(all.map(({ id }) => id));
    expect(await mkt.collabs.list(5).count()).toBe(23);
    expect((await mkt.organizations.list()).items.map(({ name }) => name)).toEqual(['Acme Cosmetics', 'Initech Audio']);
  });

  test('a show comes from the cache after a 304, and fresh after a write', async () => {
    const first = await mkt.campaigns.get(5, 3).withResponse();
    const second = await mkt.campaigns.get(5, 3).withResponse();
    expect([first.meta.fromCache, second.meta.fromCache]).toEqual([false, true]);
    expect(second.data).toEqual(first.data);
    await mkt.campaigns.update(5, 3, { name: 'Renamed' });
    expect((await mkt.campaigns.get(5, 3)).name).toBe('Renamed');
  });

  test('create, publish, pause, resume, delete', async () => {
    const campaigns = mkt.organization(5).campaigns;
    const created = await campaigns.create({ name: 'Launch', brief: '<p>Hi<script>x</script></p>' });
    expect(created).toMatchObject({ id: 48, status: 'draft', website: 'https://acme.example', brief: '<p>Hi</p>' });
    expect((await campaigns.publish(48)).status).toBe('active');
    expect((await campaigns.pause(48)).status).toBe('paused');
    expect((await campaigns.resume(48)).status).toBe('active');
    await expect(campaigns.delete(48)).rejects.toThrow(ValidationError);
    await campaigns.delete(1);
    await expect(campaigns.get(1)).rejects.toThrow(NotFoundError);
  });

  test('a refused transition names the state; being there already is success (D40)', async () => {
    await expect(mkt.campaigns.resume(5, 1)).rejects.toMatchObject({ from: 'draft', wanted: 'active' });
    await expect(mkt.campaigns.resume(5, 1)).rejects.toThrow(TransitionError);
    expect((await mkt.campaigns.pause(5, 4)).status).toBe('paused');
  });

  test('a logo is uploaded and shown', async () => {
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0]);
    const logo = new File([png], 'logo.png', { type: 'image/png' });
    const made = await mkt.organizations.create({ name: 'Ünïcode & Co', privacy_setting: 'private', logo });
    expect(made).toMatchObject({ id: 11, name: 'Ünïcode & Co', privacy_setting: 'private' });
    const picture = await (environment.fetch ?? fetch)(made.logo_url as string);
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(new Uint8Array(await picture.arrayBuffer())).toEqual(png);
  });

  test('failures are what they are called', async () => {
    await expect(mkt.campaigns.create(5, { name: ' ', cpm_amount: -1 })).rejects.toMatchObject({
      status: 422,
      fieldErrors: { name: ['Name must not be blank.'], cpm_amount: ['Cpm amount must be 0 or more.'] },
    });
    await expect(clientOf('cleo_write').campaigns.update(5, 3, { name: 'x' })).rejects.toThrow(PermissionError);
    await expect(clientOf('ada_read').address.delete()).rejects.toThrow(AuthenticationError);
    await expect(clientOf('dan_write').campaigns.list(5)).rejects.toThrow(NotFoundError);
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
    const changed = await mkt.members.update(5, 'mem_5_cleo', { role: 'admin' });
    expect([changed.role, changed.user.name]).toEqual(['admin', 'Cleo Martin']);
    await mkt.members.remove(5, 'mem_5_cleo');
    expect(await mkt.members.list(5).count()).toBe(2);
  });

  test('a collab from draft to published', async () => {
    const collab = await mkt.collabs.create(5);
    expect(collab).toMatchObject({ name: 'Untitled collab', countries: ['US', 'CA'], state: 'draft' });
    expect((await mkt.collabs.submit(5, collab.id)).state).toBe('submitted_for_review');
    expect((await mkt.collabs.pause(5, 3)).state).toBe('paused');
    expect((await mkt.collabs.unpause(5, 3)).state).toBe('published');
  });
});
