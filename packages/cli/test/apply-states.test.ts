import { testControls } from '@mkt/mock-server/node';
import { demoSeed } from '@mkt/server';
import type { Server } from '@mkt/server/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyEnvironment } from './support/apply.js';
import { startService } from './support/service.js';

let service: Server;
beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.close());

/** One of each state in the demo data. */
const campaigns = { draft: 1, active: 3, paused: 4, finished: 5 };
const collabs = { draft: 1, submitted_for_review: 2, published: 3, paused: 4 };

type Case = readonly [from: string, declared: string, steps: string | null, to?: string];

const campaignCases: readonly Case[] = [
  ['draft', 'draft', ''],
  ['draft', 'active', 'publish'],
  ['draft', 'paused', 'publish pause'],
  ['draft', 'finished', null],
  ['active', 'draft', null],
  ['active', 'active', ''],
  ['active', 'paused', 'pause'],
  ['active', 'finished', null],
  ['paused', 'draft', null],
  ['paused', 'active', 'resume'],
  ['paused', 'paused', ''],
  ['paused', 'finished', null],
  ['finished', 'draft', null],
  ['finished', 'active', null],
  ['finished', 'paused', null],
  ['finished', 'finished', ''],
];
const collabCases: readonly Case[] = [
  ['draft', 'draft', ''],
  ['draft', 'submitted_for_review', 'submit'],
  // The review is the marketplace's own act: what is ours is done, the rest is waited for.
  ['draft', 'published', 'submit', 'submitted_for_review'],
  ['draft', 'paused', 'submit', 'submitted_for_review'],
  ['submitted_for_review', 'draft', null],
  ['submitted_for_review', 'submitted_for_review', ''],
  ['submitted_for_review', 'published', '', 'submitted_for_review'],
  ['submitted_for_review', 'paused', '', 'submitted_for_review'],
  ['published', 'draft', null],
  // A review cannot be undone, so a submitted collab stays submitted.
  ['published', 'submitted_for_review', '', 'published'],
  ['published', 'published', ''],
  ['published', 'paused', 'pause'],
  ['paused', 'draft', null],
  ['paused', 'submitted_for_review', '', 'paused'],
  ['paused', 'published', 'unpause'],
  ['paused', 'paused', ''],
];

describe.each([
  ['campaigns', 'status', campaigns, campaignCases],
  ['collabs', 'state', collabs, collabCases],
] as const)('%s', (plural, field, ids, cases) => {
  it.each(cases.map((each) => [each.slice(0, 3).join(', '), each] as const))(
    'plans the path: %s',
    async (_name, each) => {
      const [from, declared, steps, to = declared] = each;
      const { apply, json, show } = applyEnvironment(service.url);
      const id = (ids as Record<string, number>)[from] ?? 0;
      const text = `${plural}:\n  - id: ${id}\n    ${field}: ${declared}`;
      if (steps === null) {
        const { code, stdout, stderr } = await apply(text);
        expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
        expect(stderr).toMatch(
          new RegExp(
            `marketplace\\.yaml:3:5: ${field}: ${declared} is not possible. .* is (?:a )?${from.replaceAll('_', ' ')}, and it`,
          ),
        );
        return;
      }
      const { changes } = await json(text, '--yes');
      expect(changes[0]?.steps).toEqual(steps.split(' ').filter(Boolean));
      expect(changes[0]?.done).toEqual(changes[0]?.steps);
      expect(await show(plural, id)).toMatchObject({ [field]: to });
      // What waits for the marketplace is not as declared.
      const again = await json(text, '--yes');
      expect(again).toMatchObject({ up_to_date: to !== 'submitted_for_review' || declared === to });
      expect(again.changes[0]?.outcome).toBe(again.up_to_date ? 'unchanged' : 'waiting');
    },
  );

  it('names the reachable states', async () => {
    const { apply } = applyEnvironment(service.url);
    const { stderr } = await apply(`${plural}:\n  - id: 4\n    ${field}: draft`);
    expect(stderr).toContain(
      `${field}: draft is not possible. ${plural === 'campaigns' ? 'Campaign' : 'Collab'} 4 "${plural === 'campaigns' ? 'Lip tint shade finder' : ''}`,
    );
    expect(stderr).toMatch(new RegExp(`is paused, and it can become paused or \\w+\\. Change or remove ${field}\\.`));
  });

  it('sends fields before actions, also for a new object', async () => {
    const { json, show } = applyEnvironment(service.url);
    const state = plural === 'campaigns' ? 'paused' : 'submitted_for_review';
    const text = JSON.stringify({
      [plural]: [
        { name: 'New', [field]: state },
        { id: 1, currency: 'eur', [field]: state },
      ],
    });
    const { changes } = await json(text, '--yes');
    const actions = plural === 'campaigns' ? ['publish', 'pause'] : ['submit'];
    expect(changes.map(({ done }) => done)).toEqual([
      ['create', ...actions],
      ['update', ...actions],
    ]);
    expect(await show(plural, 1)).toMatchObject({ currency: 'eur', [field]: state });
    expect(await json(text, '--yes')).toMatchObject({ up_to_date: true });
  });
});

it('reaches the declared state after a review that passed meanwhile', async () => {
  const token = 'control-of-this-test';
  await using controlled = await startService({ extend: testControls({ token, seed: () => demoSeed() }) });
  const { json, show } = applyEnvironment(controlled.url);
  const text = 'collabs: [{id: 1, state: paused}]';
  expect((await json(text, '--yes')).changes[0]?.done).toEqual(['submit']);
  expect((await json(text, '--yes')).up_to_date).toBe(false);
  const reviewed = await fetch(`${controlled.url}/__mkt/v1/act/reviewCollab`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify([1, 'published']),
  });
  expect(reviewed.ok).toBe(true);
  expect((await json(text, '--yes')).changes[0]?.done).toEqual(['pause']);
  expect(await show('collabs', 1)).toMatchObject({ state: 'paused' });
});
