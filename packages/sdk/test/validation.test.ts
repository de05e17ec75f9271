import { contract } from '@mkt/sdk/contract';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { type Drift, ResponseValidationError } from '../src/index.js';
import * as operations from '../src/operations.generated.js';
import type { Operation } from '../src/transport/operation.js';
import { differences } from '../src/transport/validation.js';
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
  it('passes on what came and reports where it differs', async () => {
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

  it('does not fail by an onDrift that throws', async () => {
    await using server = await scripted(json(drifted));
    const warn = vi.fn();
    const onDrift = () => {
      throw new Error('my bug');
    };
    await client(server.url, { onDrift, logger: { debug: vi.fn(), warn } }).campaigns.get(5, 1);
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('my bug'));
  });

  it('reports nothing about an answer that keeps the contract', async () => {
    await using server = await scripted(json(sampleCampaign({ future_field: 1 })));
    const onDrift = vi.fn();
    const { meta } = await client(server.url, { onDrift }).campaigns.get(5, 1).withResponse();
    expect(meta.issues).toEqual([]);
    expect(onDrift).not.toHaveBeenCalled();
  });
});

describe('strict', () => {
  it('throws what differs, with the answer', async () => {
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

  it('lets through what keeps the contract, ids of either kind and unknown fields included', async () => {
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

/** The client runs on an extract of the contract; here it is held against the contract's own schemas. */
describe('the extract of the contract', () => {
  const pairs = Object.entries(contract).flatMap(([resource, endpoints]) =>
    Object.entries(endpoints).map(([name, endpoint]) => {
      const operation = new Map(Object.entries(operations)).get(resource)?.[name as never] as unknown as Operation;
      return { endpoint, operation };
    }),
  );

  it.each(pairs)('$endpoint.operation is the same endpoint', ({ endpoint, operation }) => {
    expect(operation).toMatchObject({ operation: endpoint.operation, method: endpoint.method, path: endpoint.path });
    expect(operation.wrapper).toBe(endpoint.request?.wrapper);
    expect(operation.file).toBe(endpoint.request?.file ?? undefined);
    expect(operation.etag ?? false).toBe(endpoint.etag);
    expect(operation.list ?? false).toBe(endpoint.paginated);
    expect(operation.shape === undefined).toBe(endpoint.response === null);
  });

  const value = fc.oneof(
    fc.constantFrom('draft', 'active', 'published', 'admin', 'read', 'public', 'tiktok', 'pending', '', 'other'),
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.constant(undefined),
    fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 2 }),
    fc.record({ id: fc.string(), name: fc.string(), email: fc.oneof(fc.string(), fc.integer()) }),
  );
  const shown = pairs.filter(({ endpoint }) => endpoint.response !== null);

  it.each(shown)('$endpoint.operation finds a difference where the schema does', ({ endpoint, operation }) => {
    const { response } = endpoint as { response: z.ZodMiniType };
    const { shape = {} } = operation;
    const names = Object.keys(shape).map((name) => name.replace('?', ''));
    const record = fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] });
    fc.assert(
      fc.property(record, (candidate) => {
        const verdict = z.safeParse(response, candidate);
        const fields = verdict.success ? [] : verdict.error.issues.map(({ path }) => path[0]);
        expect([...new Set(differences(shape, candidate).map(({ path }) => path[0]))].sort()).toEqual(
          [...new Set(fields)].sort(),
        );
      }),
      { numRuns: 200 },
    );
  });
});
