import {
  createMarketplaceMock,
  type DemoTokens,
  type MarketplaceMockOptions,
  type SeedTokens,
  withMock,
} from '@mkt/mock-server';
import { connectControl } from '@mkt/mock-server/control';
import { createMarketplaceMock as createFetchMock } from '@mkt/mock-server/fetch';
import { type DemoUser, demoSeed } from '@mkt/server';
import { setupServer } from 'msw/node';
import { describe, expect, expectTypeOf, test } from 'vitest';

describe('the type of a seed', () => {
  test('is the name of one, a seed file or its content', async () => {
    const text = String('users: { mia: {} }');
    const own = { users: { mia: {} } };
    expectTypeOf(createMarketplaceMock().tokens).toEqualTypeOf<DemoTokens>();
    expectTypeOf(createMarketplaceMock({ baseUrl: 'http://mock.test' }).tokens).toEqualTypeOf<DemoTokens>();
    expectTypeOf(createMarketplaceMock({ seed: 'large' }).tokens).toEqualTypeOf<DemoTokens>();
    for (const mock of [
      createMarketplaceMock({ seed: 'empty' }),
      createMarketplaceMock({ seed: text }),
      createMarketplaceMock({ seed: 'users: { mia: {} }' }),
      createMarketplaceMock({ seed: own }),
      createMarketplaceMock({ seed: { extends: 'demo', campaigns: [{ organization: 5, status: 'finished' }] } }),
    ]) {
      expectTypeOf(mock.tokens).toEqualTypeOf<SeedTokens>();
      await mock.ready;
      await mock.seed(text);
      await mock.seed(own);
      await mock.seed('users: { mia: {} }');
      await mock.seed('demo');
    }
    const added = { extends: 'demo', users: [{ id: 'usr_zoe' }] } as const;
    expectTypeOf(createMarketplaceMock({ seed: added }).tokens.ada_write).toBeString();
    expectTypeOf(createFetchMock({ seed: added }).tokens.ada_write).toBeString();
    expectTypeOf(createMarketplaceMock({ seed: added }).tokens.zoe_write).toEqualTypeOf<string | undefined>();
    const options: MarketplaceMockOptions = { seed: own, pageSize: 5 };
    expectTypeOf(createMarketplaceMock(options).tokens).toEqualTypeOf<SeedTokens>();
  });

  test('is not a misspelt name, which is rejected when the seed is loaded as well', async () => {
    // @ts-expect-error there is no such seed
    await expect(createMarketplaceMock({ seed: 'dmeo' }).ready).rejects.toThrow('There is no seed dmeo.');
    // @ts-expect-error there is no such seed
    await expect(createFetchMock({ seed: 'dmeo' }).ready).rejects.toThrow('There is no seed dmeo.');
    // @ts-expect-error there is no such seed
    await expect(createMarketplaceMock({ seed: { extends: 'dmeo' } }).ready).rejects.toThrow('seed.extends');
    // @ts-expect-error there is no such seed
    await expect(createMarketplaceMock().seed('dmeo')).rejects.toThrow('There is no seed dmeo.');
    // @ts-expect-error there is no such seed
    await expect(withMock(setupServer(), { seed: 'dmeo' }, () => undefined)()).rejects.toThrow('no seed dmeo');
    // @ts-expect-error there is no such seed
    const options: MarketplaceMockOptions = { seed: 'dmeo' };
    expect(options).toEqual({ seed: 'dmeo' });
    const { seed } = connectControl({ url: 'http://127.0.0.1:1', token: '' });
    // @ts-expect-error there is no such seed
    await expect(seed('dmeo')).rejects.toThrow('cannot be reached');
  });

  test('has the names of a seed file at every depth, without extends too', async () => {
    const acme = {
      name: 'Acme',
      members: { mia: 'owner', ben: { role: 'admin' } },
      campaigns: [{ name: 'A', status: 'active', countries: ['DE'] }],
    };
    const users = { mia: { tokens: [{ secret: 'mkt_of_mia' }], address: null }, ben: null };
    const { seed } = createMarketplaceMock({ seed: { users, organizations: { acme } } });
    await seed({ users, organizations: { acme }, next_ids: { campaigns: 9 } });
    const rejected = async (ready: Promise<unknown>, text: string) => expect(ready).rejects.toThrow(text);
    // @ts-expect-error it is organizations
    await rejected(createMarketplaceMock({ seed: { users, organisations: { acme } } }).ready, 'organisations');
    // @ts-expect-error it is secret
    const { ready } = createFetchMock({ seed: { users: { mia: { tokens: [{ secert: 'mkt_of_mia' }] } } } });
    await rejected(ready, 'secert');
    // @ts-expect-error it is name
    await rejected(seed({ users, organizations: { acme: { ...acme, campaigns: [{ nmae: 'A' }] } } }), 'nmae');
    // @ts-expect-error users are required
    await rejected(seed({ organizations: { acme } }), 'Users is required');
  });
});

describe('the type of a user', () => {
  const mock = createMarketplaceMock();
  const effect = 'drop';

  test('is the id or the e-mail address of a user of the demo data', () => {
    const known: Readonly<Record<DemoUser, true>> = {
      usr_ada: true,
      usr_ben: true,
      usr_cleo: true,
      usr_dan: true,
      usr_eve: true,
      'ada@acme.example': true,
      'ben@acme.example': true,
      'cleo@acme.example': true,
      'dan@globex.example': true,
      'eve@example.com': true,
    };
    const seeded = demoSeed().tables.users.flatMap(({ id, email }) => [id, email]);
    expect(Object.keys(known).sort()).toEqual(seeded.sort());
  });

  test('is not a misspelt one', async () => {
    mock.faults.add({ match: { user: 'usr_ada' }, effect });
    mock.faults.add({ match: { operation: 'campaigns.list', user: 'ada@acme.example' }, effect });
    mock.faults.add({ effect });
    // @ts-expect-error there is no such user in the demo data
    expect(() => mock.faults.add({ match: { user: 'ann' }, effect })).toThrow();
    // @ts-expect-error there is no such operation
    expect(() => mock.faults.add({ match: { operation: 'campaigns.lst', user: 'usr_ada' }, effect })).toThrow();
    // @ts-expect-error there is no such property
    expect(() => mock.faults.add({ match: { users: 'usr_ada' }, effect })).toThrow();
    expect(mock.requests.list({ user: 'usr_ada', status: 200 })).toEqual([]);
    // @ts-expect-error there is no such user in the demo data
    expect(mock.requests.list({ user: 'usr_ann' })).toEqual([]);
    // @ts-expect-error requests are logged with the id
    expect(mock.requests.list({ user: 'ada@acme.example' })).toEqual([]);
    // @ts-expect-error there is no such user in the demo data
    await expect(mock.requests.waitFor({ user: 'usr_ann' }, { timeout: 0 })).rejects.toThrow('No request');
    await mock.createToken({ user: 'ben@acme.example', permission: 'read' });
    // @ts-expect-error there is no such user in the demo data
    await expect(mock.createToken({ user: 'ann', permission: 'read' })).rejects.toThrow('There is no user ann.');
  });

  test('can be any that is only known at run time, and any in other seeds', async () => {
    const { id } = await mock.create.user({ name: 'Zoe' });
    mock.faults.add({ match: { user: id }, effect });
    mock.faults.add({ match: { user: undefined }, effect });
    expect(mock.requests.list({ user: id })).toEqual([]);
    await mock.createToken({ user: id, permission: 'read' });
    const own = createFetchMock({ seed: { users: { mia: {} } } });
    own.faults.add({ match: { user: 'usr_mia' }, effect });
    await own.createToken({ user: 'usr_mia', permission: 'read' });
  });
});
