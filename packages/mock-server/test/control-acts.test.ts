import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { marketplace } from './control-marketplace.js';

let market: Awaited<ReturnType<typeof marketplace>>;
beforeAll(async () => {
  market = await marketplace();
});
afterEach(() => market.control('POST', '/reset'));
afterAll(() => market.close());

const act = (name: string, ...values: unknown[]) => market.control('POST', `/act/${name}`, values);
const show = async (path: string): Promise<Record<string, unknown>> =>
  (await (await market.call('GET', path)).json()) as Record<string, unknown>;

describe('simulated actions of the marketplace, for which the API has no endpoint', () => {
  test('fundCampaign adds to the budget and the unused amount (D35); a funded draft cannot be deleted (D36)', async () => {
    expect((await act('fundCampaign', 1, 100_000)).status).toBe(204);
    await act('fundCampaign', 1, 5);
    expect(await show('/organizations/5/campaigns/1.json')).toMatchObject({
      total_budget_amount: 100_005,
      used_amount: 0,
      unused_amount: 100_005,
    });
    expect((await market.call('DELETE', '/organizations/5/campaigns/1.json')).status).toBe(422);
  });

  test('accepts ids as text, as clients have them (D47)', async () => {
    expect((await act('fundCampaign', '1', 7)).status).toBe(204);
    expect(await show('/organizations/5/campaigns/1.json')).toMatchObject({ total_budget_amount: 7 });
    for (const id of ['', '01', '1.0', 'one', ' 1', null, 0])
      expect((await act('fundCampaign', id, 7)).body.error).toBe('campaign must be an id.');
  });

  test('two concurrent fundings both count, up to the largest integer (D19)', async () => {
    await Promise.all(Array.from({ length: 10 }, () => act('fundCampaign', 1, 7)));
    expect(await show('/organizations/5/campaigns/1.json')).toMatchObject({ total_budget_amount: 70 });
    expect((await act('fundCampaign', 1, Number.MAX_SAFE_INTEGER)).body.error).toContain('2^53-1');
  });

  test.each([
    ['addCampaignResults', { view_count: Number.MAX_SAFE_INTEGER }, 'Campaign 1'],
    ['addCollabResults', { approved_submissions_count: Number.MAX_SAFE_INTEGER }, 'Collab 1'],
  ])('%s rejects %j if the sum is too large (D19)', async (name, results, resource) => {
    expect((await act(name, 1, results)).status).toBe(204);
    const { status, body } = await act(name, 1, results);
    expect([status, body.error]).toEqual([422, `${resource} cannot store this amount. The maximum is 2^53-1.`]);
  });

  test('addCampaignResults spends at most the unused amount', async () => {
    await act('fundCampaign', 1, 100);
    await act('addCampaignResults', 1, { view_count: 10, submissions_count: 2, used_amount: 60 });
    expect(await show('/organizations/5/campaigns/1.json')).toMatchObject({
      view_count: 10,
      submissions_count: 2,
      used_amount: 60,
      unused_amount: 40,
    });
    const { status, body } = await act('addCampaignResults', 1, { used_amount: 41 });
    expect([status, body.error]).toEqual([422, 'Campaign 1 has only 40 left. Fund it first.']);
  });

  test('finishCampaign ends an active or paused campaign permanently (D37)', async () => {
    await act('finishCampaign', 4);
    expect((await show('/organizations/5/campaigns/4.json')).status).toBe('finished');
    expect(await show('/organizations/5/campaigns/4.json')).toMatchObject({ status: 'finished', paused_at: null });
    expect((await act('finishCampaign', 4)).body.error).toContain('Campaign 4 is finished');
    expect((await act('finishCampaign', 1)).body.error).toContain('Campaign 1 is draft');
  });

  test('reviewCollab publishes a submitted collab or sends it back (D38)', async () => {
    await act('reviewCollab', 2, 'published');
    expect(await show('/organizations/5/collabs/2.json')).toMatchObject({
      state: 'published',
      published_at: expect.stringMatching(/Z$/),
    });
    await act('reviewCollab', 20, 'draft');
    expect((await show('/organizations/5/collabs/20.json')).state).toBe('draft');
    expect((await act('reviewCollab', 1, 'published')).status).toBe(422);
  });

  test('addCollabResults adds submissions; approved ones prevent deletion (D36)', async () => {
    await act('addCollabResults', 1, { submissions_count: 3, approved_submissions_count: 1, completed_count: 1 });
    expect(await show('/organizations/5/collabs/1.json')).toMatchObject({ submissions_count: 3, completed_count: 1 });
    expect((await market.call('DELETE', '/organizations/5/collabs/1.json')).status).toBe(422);
  });

  test('syncSocialAccount sets the status and the metrics (D45)', async () => {
    await act('syncSocialAccount', 2, { subscriber_count: 12, engagement_rate: '1.50' });
    expect(await show('/me/social_accounts/2.json')).toMatchObject({
      status: 'verified',
      subscriber_count: 12,
      view_count: null,
      engagement_rate: '1.50',
      last_synced_at: expect.stringMatching(/Z$/),
    });
    await act('syncSocialAccount', 2, { status: 'failed' });
    expect(await show('/me/social_accounts/2.json')).toMatchObject({ status: 'failed', subscriber_count: 12 });
  });

  test('addMember adds a new or an existing user', async () => {
    const { body } = await act('addMember', 5, { name: 'Zoe Lin', email: 'zoe@acme.example' });
    const { token } = (await market.control('POST', '/tokens', { user: body.user, permission: 'read' })).body;
    const asZoe = await market.call('GET', '/organizations/5/members.json', { token });
    const members = (await asZoe.json()) as { id: string; role: string; user: { name: string } }[];
    expect(members.at(-1)).toMatchObject({ id: body.id, role: 'member', user: { name: 'Zoe Lin' } });
    expect((await market.call('POST', '/organizations.json', { token, body: {} })).status).toBe(401);

    expect((await act('addMember', 5, { user: 'eve@example.com', role: 'admin' })).status).toBe(200);
    expect((await act('addMember', 5, { user: 'usr_eve' })).body.error).toContain('already');
    expect((await act('addMember', 5, { name: 'Zoe' })).body.error).toContain('needs name and email');
    expect((await act('addMember', 5, { name: ' ', email: 'x@y' })).body.error).toContain('must not be blank');
    expect((await act('addMember', 5, { name: 'No', email: 'zoe' })).body.error).toContain('must be an e-mail address');
    expect((await act('addMember', 99, { user: 'usr_eve' })).body.error).toBe('Organization 99 does not exist.');
  });

  test('setSubscription prevents the deletion of an organization', async () => {
    await act('setSubscription', 9, true);
    const remove = () => market.call('DELETE', '/organizations/9.json', { token: 'mkt_demo_dan_write' });
    expect((await remove()).status).toBe(422);
    await act('setSubscription', 9, false);
    expect((await remove()).status).toBe(204);
  });

  test('revokeToken: the next call with the token gets 401', async () => {
    const call = () => market.call('GET', '/organizations/5.json', { token: 'mkt_demo_ada_read' });
    expect((await call()).status).toBe(200);
    await act('revokeToken', 'mkt_demo_ada_read');
    expect((await call()).status).toBe(401);
    const { body } = await act('revokeToken', 'mkt_5ecret');
    expect(body.error).toBe('No token has this secret.');
  });

  test.each([
    ['fundCampaign', ['one', 5], 'campaign must be an id'],
    ['fundCampaign', [1, -5], 'amount must be a whole number'],
    ['fundCampaign', [999, 5], 'Campaign 999 does not exist.'],
    ['reviewCollab', [2, 'perfect'], 'outcome must be published or draft'],
    ['syncSocialAccount', [2, { likes: 3 }], 'accepts only status'],
    [
      'addMember',
      [5, { name: 'a\0b', email: 'x@y' }],
      'member.name must not be blank, exceed 255 characters, or contain NUL',
    ],
    [
      'addMember',
      [5, { name: 'Zoe', email: `${'x'.repeat(255)}@y` }],
      'member.email must not be blank, exceed 255 characters',
    ],
    ['addMember', [5, { name: 7 }], 'member.name must be text'],
  ])('rejects %s%j with a message', async (name, values, sentence) => {
    const { status, body } = await act(name, ...values);
    expect([status, body.error]).toEqual([422, expect.stringContaining(sentence)]);
  });

  test('createToken stores a description like the API (D21)', async () => {
    for (const description of [' ', 'x'.repeat(256)])
      expect(
        (await market.control('POST', '/tokens', { user: 'usr_ada', permission: 'read', description })).body.error,
      ).toContain('token.description must');
  });

  test('an unknown act is a 404 that names all', async () => {
    const { status, body } = await act('toString');
    expect([status, body.error]).toEqual([
      404,
      expect.stringMatching(/^There is no control method at \/act\/toString\. Use one of \/act\/fundCampaign, .*\.$/),
    ]);
  });

  test('rejects arguments that are not a list', async () => {
    expect((await market.control('POST', '/act/fundCampaign', { campaign: 1 })).body.error).toContain('JSON list');
  });
});
