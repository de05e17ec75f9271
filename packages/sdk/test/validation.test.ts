import { type Drift, ResponseValidationError } from '@mkt/sdk';
import { differences, endpoints } from '@mkt/sdk/contract';
import { describe, expect, it, vi } from 'vitest';
import { client, failure } from './support/client.js';
import { sampleCampaign } from './support/samples.js';
import { json, scripted } from './support/scripted-server.js';

const drifted = sampleCampaign({
  id: 'cmp_1',
  status: 'archived',
  new_field: { deep: 1 },
  cpm_amount: '500',
  website: undefined,
});

describe('tolerant, the default', () => {
  it('returns the data as it arrived and reports where it differs', async () => {
    await using server = await scripted(json(drifted));
    const drifts: Drift[] = [];
    const mkt = client(server.url, { onDrift: (drift) => drifts.push(drift) });
    const { data, meta } = await mkt.campaigns.get(5, 1).withResponse();
    expect(data).toEqual(JSON.parse(JSON.stringify(drifted)));
    expect(meta.issues).toEqual([
      { path: ['status'], expected: '"draft"|"active"|"paused"|"finished"', received: '"archived"' },
      { path: ['website'], expected: 'string|null', received: 'undefined' },
      { path: ['cpm_amount'], expected: 'integer', received: 'string' },
    ]);
    expect(drifts).toEqual([{ operation: 'campaigns.get', issues: meta.issues }]);
  });

  it('says which item of a list differs', async () => {
    await using server = await scripted(
      json([sampleCampaign({ id: 1 }), sampleCampaign({ id: 2, countries: ['US', 7], platform_ids: null }), 'x']),
    );
    const { data, meta } = await client(server.url).campaigns.list(5).withResponse();
    expect(data.items).toHaveLength(3);
    expect(meta.issues).toEqual([
      { path: [1, 'countries', 1], expected: 'string', received: 'number' },
      { path: [1, 'platform_ids'], expected: 'string[]', received: 'null' },
      { path: [2], expected: 'object', received: 'string' },
    ]);
    expect(data.meta).toBe(meta);
  });

  it('looks into nested objects', async () => {
    const user = { id: 7, name: 'Ada', email: 'ada@acme.example' };
    const times = { created_at: '2026-01-05T09:00:00Z', updated_at: '2026-01-05T09:00:00Z' };
    await using server = await scripted(json([{ id: 'm', role: 'admin', is_owner: true, user, ...times }]));
    const { meta } = await client(server.url).members.list(5).withResponse();
    expect(meta.issues).toEqual([{ path: [0, 'user', 'id'], expected: 'string', received: 'number' }]);
  });

  it('compares the response as it came, whatever the caller does to the data before reading the issues', async () => {
    await using server = await scripted(json(drifted), json(sampleCampaign()));
    const { campaigns } = client(server.url);
    const different = await campaigns.get(5, 1).withResponse();
    Object.assign(different.data, sampleCampaign());
    expect(different.meta.issues).toHaveLength(3);
    expect(different.meta.issues).toBe(different.meta.issues);
    const conforming = await campaigns.get(5, 2).withResponse();
    Object.assign(conforming.data, { status: 7 });
    expect(conforming.meta.issues).toEqual([]);
  });

  it('does not fail by an onDrift that throws', async () => {
    await using server = await scripted(json(drifted));
    const warn = vi.fn();
    const onDrift = () => {
      throw new Error('my bug');
    };
    await client(server.url, { onDrift, logger: { debug: vi.fn(), warn } }).campaigns.get(5, 1);
    expect(warn).toHaveBeenCalledWith('onDrift threw: my bug', { error: 'my bug' });
  });

  it('reports nothing about a conforming response', async () => {
    await using server = await scripted(json(sampleCampaign({ future_field: 1 })));
    const onDrift = vi.fn();
    const { meta } = await client(server.url, { onDrift }).campaigns.get(5, 1).withResponse();
    expect(meta.issues).toEqual([]);
    expect(onDrift).not.toHaveBeenCalled();
  });
});

describe('strict', () => {
  it('throws the differences, with the data', async () => {
    await using server = await scripted(json(drifted));
    const onDrift = vi.fn();
    const error = await failure(
      client(server.url, { validation: 'strict', onDrift }).campaigns.get(5, 1),
      ResponseValidationError,
    );
    expect(error.operation).toBe('campaigns.get');
    expect(error.issues).toHaveLength(3);
    expect(error.message).toContain('first status: expected "draft"|"active"|"paused"|"finished", received "archived"');
    expect(error.data).toMatchObject({ status: 'archived' });
    expect(JSON.stringify(error)).not.toContain('cmp_1');
    expect(onDrift).toHaveBeenCalledTimes(1);
  });

  it('accepts conforming responses, with both kinds of ids and unknown fields', async () => {
    await using server = await scripted(json(sampleCampaign({ id: 'cmp_1', more: 1, category: 'anything' })));
    expect(await client(server.url, { validation: 'strict' }).campaigns.get(5, 1)).toMatchObject({ id: 'cmp_1' });
  });
});

it('off does not look', async () => {
  await using server = await scripted(json(drifted));
  const onDrift = vi.fn();
  const { meta } = await client(server.url, { validation: 'off', onDrift }).campaigns.get(5, 1).withResponse();
  expect(meta.issues).toEqual([]);
  expect(onDrift).not.toHaveBeenCalled();
});

describe('differences() says what the contract promises', () => {
  const responses = endpoints.filter(({ response }) => response !== null);

  it.each(responses)('of every field of $operation', ({ response }) => {
    const issues = differences(response as NonNullable<typeof response>, {});
    expect(issues.length).toBeGreaterThan(0);
    for (const { path, expected, received } of issues) {
      expect(path).toHaveLength(1);
      expect(expected).toMatch(/^((string|integer|boolean|null|object|"\w+")(\[\])?\|?)+$/);
      expect(received).toBe('undefined');
    }
  });

  it('names the place and the type, never a value of any other kind than a listed name', () => {
    const [campaigns] = endpoints.filter(({ operation }) => operation === 'campaigns.get');
    const secret = {
      ...sampleCampaign(),
      id: true,
      name: 7,
      countries: 'mkt_secret',
      published_at: {},
      view_count: 1e300,
    };
    expect(differences(campaigns?.response as never, secret)).toEqual([
      { path: ['id'], expected: 'integer|string', received: 'boolean' },
      { path: ['name'], expected: 'string', received: 'number' },
      { path: ['countries'], expected: 'string[]', received: 'string' },
      { path: ['view_count'], expected: 'integer', received: 'number' },
      { path: ['published_at'], expected: 'string|null', received: 'object' },
    ]);
    const long = differences(campaigns?.response as never, { ...sampleCampaign(), status: 'x'.repeat(1000) });
    expect(long[0]?.received).toBe(`"${'x'.repeat(80)}"`);
  });
});
