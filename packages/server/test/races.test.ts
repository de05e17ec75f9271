import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoSeed } from '../src/index.js';
import { isLong } from './support/long.js';
import { campaignRow, imageRow, membershipRow, organizationRow } from './support/rows.js';
import { type Person, type Reply, type Served, send, served } from './support/served.js';
import { storeKinds } from './support/stores.js';

const rounds = isLong ? 200 : 3;
const patience = isLong ? 1_800_000 : 60_000;

type Sent = readonly [who: Person, method: string, path: string, body?: unknown];

/** A fresh organization. Its members are admins by default; the owner, if any, comes first. */
interface Cast {
  readonly owner?: string;
  readonly admins?: readonly string[];
  readonly members?: readonly string[];
}

describe.each([
  ...storeKinds.map((kind) => [kind, 'integer'] as const),
  ['sqlite', 'opaque'],
  ['postgres', 'opaque'],
] as const)('concurrent requests, on %s, with %s ids', (kind, ids) => {
  let server: Served;
  beforeAll(async () => {
    server = await served(kind, demoSeed(ids), ids);
  });
  afterAll(() => server?.stop());

  const organizationWith = ({ owner, admins = [], members = [] }: Cast, changes = {}): Promise<number | string> =>
    server.store.transact(async (writer) => {
      const { id } = await writer.insert('organizations', organizationRow(changes));
      for (const user of [...(owner ? [owner] : []), ...admins, ...members]) {
        const role = members.includes(user) ? 'member' : 'admin';
        const row = { organization_id: id, user_id: `usr_${user}`, role, is_owner: user === owner };
        await writer.insert('memberships', membershipRow(member(id, user), row));
      }
      return id;
    });
  const member = (organization: number | string, user: string) => `mem_${organization}_${user}`;
  const memberPath = (organization: number | string, user: string) =>
    `/organizations/${organization}/members/${member(organization, user)}.json`;
  const demote = (who: Person, organization: number | string, user: string): Sent => [
    who,
    'PATCH',
    memberPath(organization, user),
    { membership: { role: 'member' } },
  ];
  const removal = (who: Person, organization: number | string, user: string): Sent => [
    who,
    'DELETE',
    memberPath(organization, user),
  ];

  /** All at once, each over another server than the one before it. */
  const atOnce = (...requests: Sent[]): Promise<Reply[]> =>
    Promise.all(requests.map((sent, index) => send(server.urls[index % server.urls.length] as string, ...sent)));
  const statusesOf = (replies: readonly Reply[]) => replies.map(({ status }) => status);
  const rolesIn = (organization: number | string) =>
    server.store.read(async (reader) =>
      (await reader.page('memberships', 'byOrganization', [organization], { offset: 0, limit: 20 })).map(
        ({ role }) => role,
      ),
    );

  const race = (name: string, round: (number: number) => Promise<void>) =>
    test(
      name,
      async () => {
        for (let number = 0; number < rounds; number += 1) await round(number);
      },
      patience,
    );

  /** One of the two wins; the other gets 422, or the error for former admins (or members). */
  const oneWins = (replies: readonly Reply[], won: number, lost: readonly number[]) => {
    const statuses = statusesOf(replies).sort();
    expect(statuses[0]).toBe(won);
    expect(lost).toContain(statuses[1]);
  };

  race('when two admins demote each other, one remains an admin (D27)', async () => {
    const id = await organizationWith({ admins: ['ada', 'ben'] });
    oneWins(await atOnce(demote('ada_write', id, 'ben'), demote('ben_write', id, 'ada')), 200, [422, 403]);
    expect(await rolesIn(id)).toEqual(['admin', 'member']);
  });

  race('when two admins demote themselves, one remains an admin', async () => {
    const id = await organizationWith({ admins: ['ada', 'ben'] });
    oneWins(await atOnce(demote('ada_write', id, 'ada'), demote('ben_write', id, 'ben')), 200, [422]);
    expect(await rolesIn(id)).toEqual(['admin', 'member']);
  });

  race('when one admin demotes the other and is removed by them, an admin remains', async () => {
    const id = await organizationWith({ admins: ['ada', 'ben'] });
    const replies = await atOnce(demote('ada_write', id, 'ben'), removal('ben_write', id, 'ada'));
    // Who was removed may not see the organization anymore; who was demoted may not remove.
    expect([
      [200, 403],
      [200, 422],
      [404, 204],
      [422, 204],
    ]).toContainEqual(statusesOf(replies));
    expect((await rolesIn(id)).filter((role) => role === 'admin')).toHaveLength(1);
  });

  race('when two admins remove each other, one remains as an admin', async () => {
    const id = await organizationWith({ admins: ['ada', 'ben'], members: ['cleo'] });
    oneWins(await atOnce(removal('ada_write', id, 'ben'), removal('ben_write', id, 'ada')), 204, [404, 422]);
    expect(await rolesIn(id)).toEqual(['admin', 'member']);
  });

  race('when two admins leave, the last one cannot', async () => {
    const id = await organizationWith({ admins: ['ada', 'ben'], members: ['cleo'] });
    oneWins(await atOnce(removal('ada_write', id, 'ada'), removal('ben_write', id, 'ben')), 204, [422]);
    expect(await rolesIn(id)).toEqual(['admin', 'member']);
  });

  race('when all members leave, one remains', async () => {
    const id = await organizationWith({ admins: ['ada', 'ben', 'cleo'] });
    const replies = await atOnce(
      removal('ada_write', id, 'ada'),
      removal('ben_write', id, 'ben'),
      removal('cleo_write', id, 'cleo'),
    );
    expect(statusesOf(replies).sort()).toEqual([204, 204, 422]);
    expect(await rolesIn(id)).toEqual(['admin']);
  });

  race('when four users connect an account URL in four spellings, one gets it', async (number) => {
    const name = `${kind}-${number}`;
    const connect = (who: Person, url: string): Sent => [
      who,
      'POST',
      '/me/social_accounts.json',
      { social_account: { platform_id: 'tiktok', account_url: url } },
    ];
    const replies = await atOnce(
      connect('ada_write', `https://www.tiktok.com/@${name}`),
      connect('ben_write', `http://tiktok.com/@${name}/`),
      connect('cleo_write', `https://TIKTOK.com/@${name}?lang=en`),
      connect('dan_write', `https://tiktok.com/@${name}#top`),
    );
    expect(statusesOf(replies).sort()).toEqual([201, 422, 422, 422]);
    for (const { status, body } of replies)
      if (status === 422) expect(body.errors).toEqual({ account_url: [expect.stringMatching(/already connected/)] });
    const { social_accounts } = (await server.store.dump()).tables;
    expect(social_accounts.filter(({ normalized_url }) => normalized_url === `tiktok.com/@${name}`)).toHaveLength(1);
  });

  race('when the first address is sent four times, one request creates it', async () => {
    await send(server.urls[0] as string, 'eve_write', 'DELETE', '/me/address.json');
    const set = (word: string): Sent => [
      'eve_write',
      'PATCH',
      '/me/address.json',
      { address: { address_one: word, city: word, state: word, postal_code: word, country_code: 'FR' } },
    ];
    const replies = await atOnce(set('a'), set('b'), set('c'), set('d'));
    expect(statusesOf(replies)).toEqual([200, 200, 200, 200]);
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
    const { addresses } = (await server.store.dump()).tables;
    const kept = addresses.filter(({ user_id }) => user_id === 'usr_eve');
    expect(kept).toHaveLength(1);
    expect(new Set([kept[0]?.address_one, kept[0]?.city, kept[0]?.state, kept[0]?.postal_code]).size).toBe(1);
  });

  race('no rows remain when an organization is deleted while resources are created in it', async () => {
    const id = await organizationWith({ owner: 'ada', admins: ['ben'] });
    const create: Sent = ['ben_write', 'POST', `/organizations/${id}/campaigns.json`, { campaign: { name: 'Late' } }];
    const [first, deletion, ...others] = await atOnce(
      create,
      ['ada_write', 'DELETE', `/organizations/${id}.json`],
      create,
      ['ada_write', 'POST', `/organizations/${id}/collabs.json`],
      create,
      demote('ada_write', id, 'ben'),
    );
    expect(deletion?.status).toBe(204);
    for (const reply of [first, ...others]) expect([200, 201, 403, 404]).toContain(reply?.status);
    const { tables } = await server.store.dump();
    const left = [...tables.campaigns, ...tables.collabs, ...tables.memberships, ...tables.images];
    expect(left.filter(({ organization_id }) => organization_id === id)).toEqual([]);
    expect(tables.organizations.filter((organization) => organization.id === id)).toEqual([]);
  });

  race('the pay of a campaign that is being published never changes after publication (D35)', async () => {
    const id = await organizationWith({ admins: ['ada', 'ben'] });
    const campaign = await server.store.transact((writer) =>
      writer.insert('campaigns', campaignRow({ organization_id: id })),
    );
    const path = `/organizations/${id}/campaigns/${campaign.id}`;
    const [published, changed] = await atOnce(
      ['ada_write', 'POST', `${path}/publish`],
      ['ben_write', 'PATCH', `${path}.json`, { campaign: { cpm_amount: 777 } }],
    );
    expect(published?.status).toBe(303);
    expect([200, 422]).toContain(changed?.status);
    const kept = await server.store.read((reader) => reader.get('campaigns', campaign.id));
    expect(kept).toMatchObject({ status: 'active', cpm_amount: changed?.status === 200 ? 777 : 500 });
    if (changed?.status === 200) expect(changed.body.status).toBe('draft');
  });

  race('two changes of one campaign are both saved', async () => {
    const id = await organizationWith({ admins: ['ada', 'ben'] });
    const campaign = await server.store.transact((writer) =>
      writer.insert('campaigns', campaignRow({ organization_id: id })),
    );
    const path = `/organizations/${id}/campaigns/${campaign.id}.json`;
    const replies = await atOnce(
      ['ada_write', 'PATCH', path, { campaign: { name: 'Named' } }],
      ['ben_write', 'PATCH', path, { campaign: { min_payout_amount: 9000 } }],
      ['ada_write', 'PATCH', path, { campaign: { max_payout_amount: 5000 } }],
    );
    // 9000 and 5000 do not go together (D33): whichever comes second is rejected.
    expect(statusesOf(replies).sort()).toEqual([200, 200, 422]);
    const kept = await server.store.read((reader) => reader.get('campaigns', campaign.id));
    expect(kept?.name).toBe('Named');
    expect(kept && kept.min_payout_amount <= kept.max_payout_amount).toBe(true);
  });

  race('an organization never becomes private without a logo while the logo is purged (D31)', async (number) => {
    const key = `${kind}-logo-${number}`;
    const id = await organizationWith({ admins: ['ada', 'ben'] }, { logo_key: key });
    await server.store.transact((writer) => writer.insert('images', imageRow(key, { organization_id: id })));
    const path = `/organizations/${id}.json`;
    const replies = await atOnce(
      ['ada_write', 'PATCH', path, { organization: { privacy_setting: 'private' } }],
      ['ben_write', 'PATCH', path, { organization: { purge_logo: '1' } }],
    );
    oneWins(replies, 200, [422]);
    const kept = await server.store.read((reader) => reader.get('organizations', id));
    expect(kept?.privacy_setting === 'private').toBe(kept?.logo_key !== null);
  });
});
