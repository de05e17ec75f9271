import { createMarketplaceMock } from '@mkt/mock-server';
import { Marketplace } from '@mkt/sdk';
import { afterEach, describe, expect, test, vi } from 'vitest';

const mock = createMarketplaceMock();
const mkt = new Marketplace({ token: mock.tokens.ada_write, baseUrl: mock.baseUrl, fetch: mock.fetch, retry: false });

afterEach(() => mock.reset());

describe('mock.on', () => {
  test('overrides one operation, and no other', async () => {
    mock.on('campaigns.list', ({ response }) => response([]));
    const page = await mkt.campaigns.list(5);
    expect([page.items, page.totalCount]).toEqual([[], 0]);
    expect((await mkt.campaigns.get(5, 1)).id).toBe(1);
    expect(mock.requests.list({ operation: 'campaigns.list' })).toMatchObject([{ status: 200, unexpected: null }]);
  });

  test('gets the request, and goes on without a result', async () => {
    mock.on('campaigns.create', async ({ request, response }) => {
      const { campaign } = (await request.json()) as { campaign: { name: string } };
      if (campaign.name !== 'Taken') return;
      return response({ ...(await mkt.campaigns.get(5, 1)), name: 'Mine' });
    });
    expect((await mkt.campaigns.create(5, { name: 'Taken' })).name).toBe('Mine');
    expect((await mkt.campaigns.create(5, { name: 'Free' })).name).toBe('Free');
    expect(await mkt.campaigns.list(5).count()).toBe(46);
  });

  test('takes any Response, and the newest override first', async () => {
    mock.on('organizations.get', () => new Response(null, { status: 404 }));
    const remove = mock.on('organizations.get', () => Response.json({ error: 'Closed' }, { status: 503 }));
    await expect(mkt.organizations.get(5)).rejects.toThrow('Closed');
    remove();
    await expect(mkt.organizations.get(5)).rejects.toMatchObject({ status: 404 });
  });

  test('lasts until reset()', async () => {
    mock.on('campaigns.list', ({ response }) => response([]));
    await mock.reset();
    expect(await mkt.campaigns.list(5).count()).toBe(45);
  });

  test('gets faults, as the marketplace does', async () => {
    mock.on('campaigns.list', ({ response }) => response([]));
    mock.faults.add({ effect: { status: 503 }, times: 1 });
    await expect(mkt.campaigns.list(5)).rejects.toMatchObject({ status: 503 });
    expect(await mkt.campaigns.list(5).count()).toBe(0);
  });

  test('reports an override that throws or returns something else', async () => {
    const print = vi.spyOn(console, 'error').mockReturnValue();
    mock.on('campaigns.list', () => {
      throw new Error('Oops');
    });
    await expect(mkt.campaigns.list(5)).rejects.toMatchObject({ status: 500 });
    // @ts-expect-error not a Response
    mock.on('campaigns.list', () => []);
    await expect(mkt.campaigns.list(5)).rejects.toMatchObject({ status: 500 });
    expect(print).toHaveBeenCalledTimes(2);
    expect(() => mock.assertNoUnexpected()).toThrow(/An override threw: Oops.*must return a Response/s);
    print.mockRestore();
  });

  test('rejects an operation that does not exist', () => {
    // @ts-expect-error a misspelt operation
    expect(() => mock.on('campaigns.lst', () => undefined)).toThrow('is not an operation of the API');
    for (const [wrong, right] of [
      ['campaigns.lst', 'campaigns.list'],
      ['campaign.list', 'campaigns.list'],
      ['campaigns.publsh', 'campaigns.publish'],
      ['socialAccount.create', 'socialAccounts.create'],
      ['organisations.get', 'organizations.get'],
    ])
      expect(() => mock.requests.list({ operation: wrong as 'campaigns.list' })).toThrow(
        `the most similar is ${right}`,
      );
  });

  test('has the types of its operation', () => {
    // @ts-expect-error a list
    mock.on('campaigns.list', ({ response }) => response({}));
    // @ts-expect-error a misspelt field
    mock.on('organizations.get', async ({ response }) => response({ ...(await mkt.organizations.get(5)), naem: 'x' }));
    mock.on('campaigns.delete', ({ response }) => response(undefined));
  });
});

describe('the types of faults', () => {
  test('know the fields of the operation, and one effect', () => {
    const match = { operation: 'campaigns.get' } as const;
    const add = () => {
      mock.faults.add({ match, effect: { patch: { status: 'paused' } } });
      mock.faults.add({ match, effect: { patch: ({ name }) => ({ name }) } });
      // A state of a newer service.
      mock.faults.add({ match, effect: { patch: { status: 'archived', countries: ['XX'] } } });
      mock.faults.add({ match: { operation: 'campaigns.list' }, effect: { patch: { status: 'archived' } } });
      // @ts-expect-error not a text
      mock.faults.add({ match, effect: { patch: { status: 3 } } });
      mock.faults.add({ effect: { patch: { anything: 1 } } });
      mock.faults.add({ match, effect: { delay: 5, status: 503 } });
      // @ts-expect-error a misspelt field
      mock.faults.add({ match, effect: { patch: { staus: 'paused' } } });
    };
    expect(add).not.toThrow();
    // @ts-expect-error two effects
    expect(() => mock.faults.add({ match, effect: { status: 503, truncate: 3 } })).toThrow('one effect');
  });
});
