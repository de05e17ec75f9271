import { type CampaignFields, ConfigurationError, TransitionError } from '@mkt/sdk';
import { expect, it, vi } from 'vitest';
import { client, failure } from './support/client.js';
import { sampleCampaign } from './support/samples.js';
import { json, redirect, scripted, text } from './support/scripted-server.js';

it('ids that a number cannot hold stay exact, as strings', async () => {
  const body =
    '[{"id":9007199254740993,"name":"id: 9007199254740993"},{"id":9007199254740992,"amount":1.12345678901234567}]';
  await using server = await scripted(text(200, body, { 'content-type': 'application/json', 'total-pages': '1' }));
  const all = await client(server.url).campaigns.list(5).all();
  expect(all.map(({ id }) => id)).toEqual(['9007199254740993', '9007199254740992']);
  expect(all[0]?.name).toBe('id: 9007199254740993');
});

it('totals that disagree: the items count, and drift is reported', async () => {
  const headers = { 'total-pages': '1', 'total-count': '45' };
  await using server = await scripted((response, request) => {
    const page = Number(new URL(request.url, 'http://x').searchParams.get('page') ?? 1);
    const rows = Array.from({ length: page === 3 ? 5 : 20 }, (_, index) => sampleCampaign({ id: page * 100 + index }));
    return json(rows, { headers })(response, request);
  });
  const onDrift = vi.fn();
  expect(await client(server.url, { onDrift }).campaigns.list(5).all()).toHaveLength(45);
  expect(onDrift.mock.calls[0]?.[0].issues[0].path).toEqual(['Total-Pages']);
});

it('an action that leads to an unknown state succeeded; a stale read is read again', async () => {
  const state = (status: string) => json(sampleCampaign({ status }));
  await using unknown = await scripted(redirect('/'), state('in_review'));
  expect((await client(unknown.url).campaigns.publish(5, 1)).status).toBe('in_review');
  await using stale = await scripted(redirect('/'), state('draft'), state('active'));
  expect((await client(stale.url).campaigns.publish(5, 1)).status).toBe('active');
  await using doubtful = await scripted(redirect('/'), state('draft'));
  expect((await failure(client(doubtful.url).campaigns.publish(5, 1), TransitionError)).mayHaveArrived).toBe(true);
});

it('methods can be taken from their object, and each takes a list', async () => {
  await using server = await scripted(
    json([sampleCampaign()], { headers: { 'total-pages': '1' } }),
    json(sampleCampaign()),
  );
  const { each, campaigns } = client(server.url);
  const { list, get } = campaigns;
  const results = await each(list(5), ({ id }) => get(5, id));
  expect(results).toMatchObject([{ status: 'fulfilled', value: { id: 1 } }]);
});

it.each([[new Map([['name', 'x']])], [new FormData()], [new Date()]])(
  'fields that are %s are refused',
  async (fields) => {
    const mkt = client('http://127.0.0.1:9');
    await failure(mkt.campaigns.create(5, fields as unknown as CampaignFields), ConfigurationError);
  },
);

it('a logger that throws, or rejects, fails no call', async () => {
  await using server = await scripted(json(sampleCampaign({ status: 7 })));
  const fail = () => {
    throw new Error('disk full');
  };
  const logger = { debug: fail, warn: async () => fail() };
  const mkt = client(server.url, { logger, onDrift: async () => fail() });
  expect((await mkt.campaigns.get(5, 1)).id).toBe(1);
});
