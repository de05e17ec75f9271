import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { campaignFields } from '@mkt/sdk/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Assistant, assistants, type Options, type Row, type ToolResult } from './support/assistant.js';
import { between } from './support/between.js';
import { temporaryFolder } from './support/run-cli.js';
import { recordedService } from './support/service.js';

// Starts processes, on machines under load.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const service = recordedService();
const { writes, request, campaign } = service;
const assistant = assistants(service.url);
const revisions = ['2025-11-25', '2026-07-28'] as const;

/** What another user does meanwhile; it does not count as a write of the assistant. */
const someoneElse = async (path: string, body: Row, method = 'PATCH'): Promise<void> => {
  const before = writes.length;
  await request(method, path, body);
  writes.length = before;
};
const edit = (id: number, fields: Row) => someoneElse(`/organizations/5/campaigns/${id}`, { campaign: fields });

/** Draft 2 is complete; draft 1 has the default brief. */
const draft = 2;

interface Attempt {
  readonly use: Assistant;
  readonly plan: (args: Row) => Promise<string>;
  readonly apply: (digest: string) => Promise<ToolResult>;
}
type Attack = (attempt: Attempt) => Promise<void>;

const EVIL = 'Send your bank details to https://evil.example/form';

/** Plans and applies; the user approves whatever is asked. @returns the text that was approved */
async function approved({ use, plan, apply }: Attempt, args: Row): Promise<string> {
  await apply(await plan(args));
  expect(use.asked).toHaveLength(1);
  return use.asked[0] ?? '';
}

const visible = async (attempt: Attempt, args: Row, ...parts: string[]): Promise<void> => {
  const text = await approved(attempt, args);
  for (const part of parts) expect(text).toContain(part);
  // Nothing in it can hide or reorder other characters.
  expect(text.replaceAll('\n', '')).not.toMatch(/(?!\ufe0f)[\p{Cc}\p{Cf}\p{DI}\p{Zl}\p{Zp}]/u);
  const { campaigns = [] } = args as { campaigns?: unknown[] };
  expect(text.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(campaigns.length);
};

/** A plan that cannot be made, so that the user is not asked. */
async function rejected(use: Assistant, args: Row, reason: string | RegExp): Promise<void> {
  const { digest, error } = await use.call('plan_changes', args);
  expect(digest).toBeUndefined();
  expect(JSON.stringify(error)).toMatch(reason);
  expect([use.asked, writes]).toEqual([[], []]);
}

/** A publication that is approved while `meanwhile` happens to the campaign. */
const publishedDuring =
  (meanwhile: () => Promise<void>, moment: 'before' | 'during'): Attack =>
  async ({ plan, use, apply }) => {
    const digest = await plan({ campaigns: [{ id: draft, status: 'active' }] });
    if (moment === 'before') await meanwhile();
    const result = await apply(digest);
    if (moment === 'during') expect(use.asked).toHaveLength(1);
    expect(result.error?.message).toContain('Something has changed since the plan was made. Nothing was applied.');
    expect(writes).toEqual([]);
    expect(await campaign(draft)).toMatchObject({ status: 'draft' });
  };

const long = (tail: string, count = 6): string =>
  `${'<p>We look for honest videos about our new serum, in your own words.</p>'.repeat(count)}<p>${tail}</p>`;

const attacks: Readonly<Record<string, Attack>> = {
  'a sentence at the end of a long brief': (attempt) =>
    visible(attempt, { campaigns: [{ id: draft, brief: long(EVIL, 60) }] }, EVIL),
  'a sentence that is added to a brief': async (attempt) => {
    await edit(draft, { brief: long('Thank you.') });
    await visible(attempt, { campaigns: [{ id: draft, brief: long(`Thank you. ${EVIL}`) }] }, `+ ${EVIL}`);
  },
  'the end of a long name': (attempt) =>
    visible(attempt, { campaigns: [{ id: draft, name: `${'Glow '.repeat(40)}EVIL` }] }, 'EVIL'),
  'the end of a long URL': (attempt) =>
    visible(
      attempt,
      { campaigns: [{ id: draft, website: `https://acme.example/${'a/'.repeat(90)}?to=evil` }] },
      '?to=evil',
    ),
  'another target of the same link': async (attempt) => {
    await edit(draft, { brief: '<p><a href="https://acme.example/terms">Terms</a></p>' });
    const brief = '<p><a href="https://evil.example/terms">Terms</a></p>';
    await visible(attempt, { campaigns: [{ id: draft, brief }] }, 'https://evil.example/terms');
  },
  'a change of tags next to a change of text': async (attempt) => {
    await edit(draft, { brief: '<p><a href="https://acme.example/a">Terms</a></p><p>Old</p>' });
    const brief = '<p><a href="https://evil.example/a">Terms</a></p><p>New</p>';
    await visible(attempt, { campaigns: [{ id: draft, brief }] }, 'https://evil.example/a', 'New');
  },
  'text in the other direction': (attempt) =>
    visible(attempt, { campaigns: [{ id: draft, name: 'Up to 5 \u202e004 rof' }] }, '\\u202e004'),
  'invisible characters': (attempt) =>
    visible(
      attempt,
      { campaigns: [{ id: draft, name: 'A\u200bB\u2060C\u{e0041}D\u3164' }] },
      'A\\u200bB\\u2060C\\u{e0041}D\\u3164',
    ),
  'quotes that end the value': (attempt) =>
    visible(
      attempt,
      { campaigns: [{ id: draft, name: 'Curl week" (name: typo fixed)' }] },
      '"Curl week\\" (name: typo fixed)"',
    ),
  'spaces that push a text to the start of a line': (attempt) =>
    visible(
      attempt,
      { campaigns: [{ id: draft, name: `A${' '.repeat(60)}- pause campaign 3` }] },
      `A${'\\u0020'.repeat(60)}-`,
    ),
  'line breaks that look like other changes': (attempt) =>
    visible(
      attempt,
      { campaigns: [{ id: draft, name: 'A\n- pause campaign 3', brief: 'One\n\n- publish campaign 1' }] },
      'A\\n- pause campaign 3',
    ),
  'an amount that is changed before the question': publishedDuring(
    () => edit(draft, { max_payout_amount: 4_000_000 }),
    'before',
  ),
  'an amount that is changed while the question is open': async (attempt) => {
    await withAnswer(attempt, () => edit(draft, { cpm_amount: 4999 }), 'cpm_amount');
  },
  'a brief that is changed while the question is open': async (attempt) => {
    await withAnswer(attempt, () => edit(draft, { brief: long(EVIL) }), 'brief');
  },
  'a website that is changed while the question is open': async (attempt) => {
    await withAnswer(attempt, () => edit(draft, { website: 'https://evil.example' }), 'website');
  },
  'defaults of the organization that change while the question is open': async (attempt) => {
    answering = () => someoneElse('/organizations/5', { organization: { website: 'https://evil.example' } });
    const text = await approved(attempt, { campaigns: [{ name: 'New one', status: 'active' }] });
    expect(text).toContain('website: `"https://acme.example"`');
    const created = (await request('GET', '/organizations/5/campaigns')) as unknown as readonly Row[];
    expect(JSON.stringify(created)).not.toContain('evil.example');
    expect(writes).toEqual(['campaigns.create', 'campaigns.publish']);
  },
  'a field that is changed between two steps': async (attempt) => {
    const digest = await attempt.plan({ campaigns: [{ id: draft, name: 'Step one', status: 'active' }] });
    afterWrite = () => edit(draft, { cpm_amount: 4999 });
    const { data } = await attempt.apply(digest);
    expect(data).toMatchObject([
      { outcome: 'failed', done: ['update'], error: expect.stringContaining('cpm_amount is 4999 now') },
    ]);
    expect(await campaign(draft)).toMatchObject({ name: 'Step one', status: 'draft' });
  },
  'a name that another campaign has by then': async (attempt) => {
    const digest = await attempt.plan({ campaigns: [{ name: 'Lip tint shade finder', status: 'active' }] });
    await edit(4, { name: 'Something else' });
    await edit(14, { name: 'Lip tint shade finder' });
    expect((await attempt.apply(digest)).error?.message).toContain('Something has changed');
    expect(writes).toEqual([]);
  },
  'a draft that is changed before its deletion': async (attempt) => {
    const digest = await attempt.plan({ campaigns: [{ id: 1, delete: true }] });
    answering = () => edit(1, { name: 'Still needed' });
    expect((await attempt.apply(digest)).error?.message).toContain('Something has changed');
    expect(await campaign(1)).toMatchObject({ name: 'Still needed' });
  },
  'a plan that is too long to be read': async ({ use }) => {
    const campaigns = Array.from({ length: 6 }, (_, index) => ({
      name: `n${index}`,
      brief: long(`${EVIL} ${index}`, 200).replaceAll('own', `own${index}`),
    }));
    const { digest, error } = await use.call('plan_changes', { campaigns });
    expect([digest, error?.message]).toEqual([undefined, expect.stringContaining('Split the plan')]);
    expect(use.asked).toEqual([]);
  },
  'a refused plan': async ({ use, plan, apply }) => {
    const digest = await plan({ campaigns: [{ id: 3, status: 'paused' }] });
    refuses = true;
    expect((await apply(digest)).error?.message).toBe('The user did not approve the plan. Nothing was changed.');
    refuses = false;
    expect((await apply(digest)).error?.message).toContain('refused this plan');
    expect(use.asked).toHaveLength(1);
    expect(writes).toEqual([]);
  },
  'a plan that is applied again': async ({ use, plan, apply }) => {
    const digest = await plan({ campaigns: [{ name: 'Only once' }] });
    expect(await apply(digest)).toMatchObject({ applied: 1 });
    expect(await apply(digest)).toMatchObject({ applied: 1, earlier: expect.stringContaining('runs once') });
    expect(use.asked).toHaveLength(1);
    expect(writes).toEqual(['campaigns.create']);
  },
  'a plan that is applied twice at once': async ({ plan, apply }) => {
    const digest = await plan({ campaigns: [{ name: 'Only once' }] });
    await Promise.all([apply(digest), apply(digest)]);
    expect(writes).toEqual(['campaigns.create']);
  },
  'letters of another alphabet in the host of a URL': (attempt) =>
    visible(
      attempt,
      { campaigns: [{ id: draft, website: 'https://\u0430cme.example/' }] },
      'https://\\u0430cme.example',
    ),
  'letters of another alphabet in the hosts of a brief': (attempt) =>
    visible(
      attempt,
      {
        campaigns: [{ id: draft, brief: '<p>pay@\u0430cme.example, <a href="https://acm\u0435.example">here</a></p>' }],
      },
      'pay@\\u0430cme.example',
      'https://acm\\u0435.example',
    ),
  'accents that cover other lines': async (attempt) => {
    await visible(attempt, { campaigns: [{ id: draft, name: `A${'\u0338\u0335'.repeat(40)}` }] }, '\\u0338\\u0335');
    expect(attempt.use.asked[0]).not.toMatch(/\p{M}{5}/u);
  },
  'texts from right to left that change places': async (attempt) => {
    await edit(draft, { name: '\u05d0\u05d1' });
    await visible(
      attempt,
      { campaigns: [{ id: draft, name: '\u05d2\u05d3' }] },
      'from `"\u05d0\u05d1"` to `"\u05d2\u05d3"`',
    );
  },
  'a selector of emoji after a letter': (attempt) =>
    visible(
      attempt,
      { campaigns: [{ id: draft, name: 'A\ufe0f\ufe0fB \u2764\ufe0f' }] },
      'A\\ufe0f\\ufe0fB \u2764\ufe0f',
    ),
  'a file of this machine as a brief': ({ use }) =>
    rejected(use, { campaigns: [{ id: draft, brief: '@/etc/hostname' }] }, 'not the name of a file'),
  'an id that is the path of another resource': async ({ use }) => {
    for (const id of ['3/../2', '../campaigns/2', '2.json', '2?x=', '2%2f', ' 2', '02', '..'])
      await rejected(use, { campaigns: [{ id, name: 'Other' }] }, /was not found|is not a valid id/);
  },
  'the same campaign twice': ({ use }) =>
    rejected(
      use,
      {
        campaigns: [
          { id: draft, name: 'One' },
          { id: String(draft), cpm_amount: 4999 },
        ],
      },
      'already declared',
    ),
  'fields that are inherited': ({ use }) =>
    rejected(
      use,
      JSON.parse(`{"campaigns":[{"id":${draft},"name":"One","__proto__":{"status":"active"}}]}`),
      '__proto__',
    ),
  'another organization that gets the id of this one as its name': async (attempt) => {
    const organizations = (await request('GET', '/organizations')) as unknown as readonly Row[];
    const other = organizations.find(({ id }) => id !== 5);
    answering = () => someoneElse(`/organizations/${other?.id}`, { organization: { name: '5' } });
    await visible(attempt, { campaigns: [{ name: 'New one' }] }, 'organization 5');
    expect(JSON.stringify(await request('GET', `/organizations/${other?.id}/campaigns`))).not.toContain('New one');
    expect(writes).toEqual(['campaigns.create']);
  },
  'an answer that only looks like a yes': async ({ plan, apply }) => {
    const digest = await plan({ campaigns: [{ id: 3, status: 'paused' }] });
    odd = 'true';
    await apply(digest);
    expect(writes).toEqual([]);
  },
  'a draft that is published while the question is open': async (attempt) => {
    const digest = await attempt.plan({ campaigns: [{ id: draft, name: 'Renamed' }] });
    answering = () => someoneElse(`/organizations/5/campaigns/${draft}/publish`, {}, 'POST');
    expect((await attempt.apply(digest)).changed).toBeUndefined();
    expect(await campaign(draft)).not.toMatchObject({ name: 'Renamed' });
  },
  'a name that is taken while the question is open': async (attempt) => {
    const digest = await attempt.plan({ campaigns: [{ name: 'Mine', cpm_amount: 700 }] });
    answering = () => someoneElse('/organizations/5/campaigns', { campaign: { name: 'Mine' } }, 'POST');
    expect(await attempt.apply(digest)).toMatchObject({ data: [{ outcome: 'failed', done: [] }] });
    expect(writes).toEqual([]);
  },
  'so many plans that the one in question is forgotten': async ({ use, plan, apply }) => {
    const digest = await plan({ campaigns: [{ id: 3, status: 'paused' }] });
    let last = '';
    answering = async () => {
      for (let count = 0; count < 20; count++) last = await plan({ campaigns: [{ id: 6, name: `n${count}` }] });
    };
    await apply(digest);
    expect(use.asked[0]).toContain('- pause campaign 3');
    expect((await apply(digest)).error?.message).toContain('no plan with this digest');
    expect(writes.filter((operation) => operation !== 'campaigns.pause')).toEqual([]);
    expect(last).not.toBe(digest);
  },
  'a digest that no plan has': async ({ use, apply }) => {
    expect((await apply('0123456789abcdef')).error?.message).toContain('no plan with this digest');
    expect(use.asked).toEqual([]);
    expect(writes).toEqual([]);
  },
};

/** Set by a test: what happens while the question is open, and after the first write. */
let answering: (() => Promise<void>) | undefined;
let afterWrite: (() => Promise<void>) | undefined;
let refuses = false;
/** Instead of true or false. */
let odd: unknown;

async function withAnswer(attempt: Attempt, meanwhile: () => Promise<void>, field: string): Promise<void> {
  const digest = await attempt.plan({ campaigns: [{ id: draft, status: 'active' }] });
  answering = meanwhile;
  const { error } = await attempt.apply(digest);
  expect(attempt.use.asked).toHaveLength(1);
  expect(error).toMatchObject({
    message: expect.stringContaining('Something has changed since the plan was made'),
    changed: [`campaign ${draft}: ${field}.`],
  });
  expect(writes).toEqual([]);
  expect(await campaign(draft)).toMatchObject({ status: 'draft' });
}

describe.each(revisions)('nothing is written that the approved text did not show, with revision %s', (revision) => {
  let url = '';
  const setUp = async (options: Options = {}): Promise<Attempt> => {
    const use = await assistant({
      revision,
      url,
      approves: async () => {
        await answering?.();
        return (odd ?? !refuses) as boolean;
      },
      ...options,
    });
    return {
      use,
      plan: async (args) => {
        const { digest, error } = await use.call('plan_changes', args);
        expect(error).toBeUndefined();
        return String(digest);
      },
      apply: (digest) => use.call('apply_plan', { digest }),
    };
  };
  beforeAll(async () => {
    // One proxy for all attempts, so that they share a process.
    url = await between(
      service.url(),
      {
        after: ({ method }, body) => {
          const act = afterWrite;
          if (method !== 'PATCH' || act === undefined) return undefined;
          afterWrite = undefined;
          pending = act();
          return body;
        },
        before: async ({ method }) => {
          if (method === 'GET') await pending;
        },
      },
      afterAll,
    );
  });
  let pending: Promise<void> | undefined;
  beforeEach(() => {
    [answering, afterWrite, refuses, odd, pending] = [undefined, undefined, false, undefined, undefined];
  });

  it('are at least twenty attempts', () => expect(Object.keys(attacks).length).toBeGreaterThanOrEqual(20));
  it.each(Object.entries(attacks))('%s', async (_, attack) => attack(await setUp()));
});

describe('answers of revision 2026-07-28', () => {
  interface Asked {
    readonly requestState?: string;
    readonly structuredContent?: ToolResult;
  }
  const accepted = { approval: { action: 'accept', content: { approve: true } } };
  const setUp = async () => {
    const use = await assistant({ revision: '2026-07-28' });
    const plan = async (args: Row) => String((await use.call('plan_changes', args)).digest);
    const send = async (digest: string, params: Row = {}): Promise<Asked> =>
      (await use.client.callTool({ name: 'apply_plan', arguments: { digest }, ...params } as never, {
        allowInputRequired: true,
      })) as Asked;
    return {
      send,
      first: await plan({ campaigns: [{ id: 3, status: 'paused' }] }),
      second: await plan({ campaigns: [{ id: 6, name: 'Other' }] }),
    };
  };
  const foreign = { structuredContent: { error: { message: expect.stringContaining('does not belong') } } };

  it('start the plan of their question', async () => {
    const { send, first } = await setUp();
    const { requestState } = await send(first);
    expect(await send(first, { inputResponses: accepted, requestState })).toMatchObject({
      structuredContent: { applied: 1 },
    });
    expect(writes).toEqual(['campaigns.pause']);
  });

  it('do not count for another plan', async () => {
    const { send, first, second } = await setUp();
    const { requestState } = await send(first);
    expect(await send(second, { inputResponses: accepted, requestState })).toMatchObject(foreign);
    await send(second);
    expect(await send(second, { inputResponses: accepted, requestState })).toMatchObject(foreign);
    expect(writes).toEqual([]);
  });

  it('do not count before a question', async () => {
    const { send, first } = await setUp();
    expect(await send(first, { inputResponses: accepted })).toMatchObject(foreign);
    expect(await send(first, { inputResponses: accepted, requestState: 'v1.e30.AAAA' })).toMatchObject(foreign);
    expect(writes).toEqual([]);
  });

  it('do not count with a changed state, after another question, or twice', async () => {
    const { send, first } = await setUp();
    const { requestState: early = '' } = await send(first);
    const changed = `${early.slice(0, -2)}${early.endsWith('AA') ? 'BB' : 'AA'}`;
    expect(await send(first, { inputResponses: accepted, requestState: changed })).toMatchObject(foreign);
    const { requestState } = await send(first);
    expect(await send(first, { inputResponses: accepted, requestState: early })).toMatchObject(foreign);
    expect(writes).toEqual([]);
    await send(first, { inputResponses: accepted, requestState });
    await send(first, { inputResponses: accepted, requestState });
    expect(writes).toEqual(['campaigns.pause']);
  });

  it('refuse the plan unless they approve it', async () => {
    const { send, first } = await setUp();
    const { requestState } = await send(first);
    const inputResponses = { approval: { action: 'decline' } };
    expect(await send(first, { inputResponses, requestState })).toMatchObject({
      structuredContent: { error: { message: 'The user did not approve the plan. Nothing was changed.' } },
    });
    expect((await send(first)).requestState).toBeUndefined();
    expect(writes).toEqual([]);
  });
});

it('does not give a digest to a plan without changes', async () => {
  const { call } = await assistant();
  const planned = await call('plan_changes', { campaigns: [{ id: 4, status: 'paused' }] });
  expect(planned).toMatchObject({ data: [], next: expect.stringContaining('nothing to apply') });
  expect(planned.digest).toBeUndefined();
});

describe('the text of a publication', () => {
  it('names what it fixes, also the defaults of a new campaign, and what is missing', async () => {
    const { call, asked } = await assistant({ approves: false });
    const campaigns = [{ name: 'Autumn', status: 'active', countries: [], brief: null }];
    const { digest } = await call('plan_changes', { campaigns });
    await call('apply_plan', { digest });
    const lines = asked[0]?.split('\n').slice(4) ?? [];
    const isField = (line: string) => /^ {2}- [a-z_]+: /.test(line);
    expect(lines.filter((line) => !isField(line))).toEqual([
      '- create, publish campaign `"Autumn"`',
      '  - It cannot be unpublished, only paused.',
      '  - The payouts and the currency are then fixed: cpm_amount 500, min_payout_amount 1000, max_payout_amount 10000, base_reward_amount 0, currency `"usd"`.',
      '  - It has no budget: creators cannot earn anything yet.',
      '  - It has no countries.',
      '  - It has no brief.',
    ]);
    const { name, countries, brief, ...others } = campaignFields.shape;
    const fields = lines.filter(isField).map((line) => line.trim().slice(2));
    expect(fields.map((line) => line.split(':')[0])).toEqual(['countries', 'brief', ...Object.keys(others)]);
    expect(fields).toEqual(
      expect.arrayContaining([
        'countries: `[]`',
        'brief: none',
        'website: `"https://acme.example"`',
        'content_type: `"ugc"`',
        'category: `"product"`',
        'currency: `"usd"`',
        'cpm_amount: 500',
        'min_payout_amount: 1000',
        'max_payout_amount: 10000',
        'base_reward_amount: 0',
        'platform_ids: `["youtube", "tiktok"]`',
        'tiktok_music_id: none',
      ]),
    );
  });

  it('shows roles with e-mail addresses, the address and deletions', async () => {
    const { call, asked } = await assistant();
    const { digest } = await call('plan_changes', {
      campaigns: [{ id: 1, delete: true }],
      members: [{ id: 'cleo@acme.example', role: 'admin' }],
      address: { address_two: 'Floor 3' },
    });
    const applied = await call('apply_plan', { digest });
    expect(asked[0]?.split('\n').slice(4)).toEqual([
      '- delete campaign 1 `"Summer UGC Campaign"`',
      '  - It cannot be restored with the same id.',
      '- update member mem_5_cleo `"Cleo Martin"` `"cleo@acme.example"`',
      '  - role: from `"member"` to `"admin"`',
      '- update address 1 `"10300 Torre Avenue"`',
      '  - address_two: from none to `"Floor 3"`',
      '  - It belongs to the user, not to an organization.',
    ]);
    expect(applied).toMatchObject({ applied: 3, undo: expect.any(Number) });
    expect(applied).not.toHaveProperty('irreversible');
    const address = await call('plan_changes', { address: { address_two: 'Floor 4' } });
    expect(address.organization).toBeUndefined();
    expect(await call('apply_plan', { digest: address.digest })).not.toHaveProperty('organization');
    expect(asked[1]?.split('\n')[0]).toBe('Apply 1 change?');
  });
});

describe('a call that is cancelled while its question is open', () => {
  it('does nothing, and a later call asks again and does what is approved', async () => {
    const cancel = new AbortController();
    let count = 0;
    const { call, asked } = await assistant({
      approves: async () => {
        count += 1;
        if (count === 1) cancel.abort();
        return true;
      },
    });
    const { digest } = await call('plan_changes', { campaigns: [{ id: 3, status: 'paused' }] });
    await expect(call('apply_plan', { digest }, { signal: cancel.signal })).rejects.toThrow();
    expect(writes).toEqual([]);
    expect(await call('apply_plan', { digest })).toMatchObject({ applied: 1 });
    expect([asked.length, writes]).toEqual([2, ['campaigns.pause']]);
  });
});

describe('the page of a plan', () => {
  const PAGE = /http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}(?=\n)/g;
  const pages = async (url: string, env: Readonly<Record<string, string>> = {}) => {
    const use = await assistant({
      elicitation: { url: {} },
      url,
      // No browser opens.
      env: { PATH: '/nonexistent', DISPLAY: ':99', ...env },
    });
    const { digest } = await use.call('plan_changes', { campaigns: [{ id: 6, status: 'paused' }] });
    const apply = () => {
      const result = use.call('apply_plan', { digest });
      result.catch(() => undefined);
      return result;
    };
    const addresses = () => [...use.stderr().matchAll(PAGE)].map(([address]) => address);
    return { ...use, digest, apply, addresses };
  };
  const answer = async (address: string, given: 'approve' | 'refuse') => {
    const shown = await fetch(address);
    const headers = { Cookie: shown.headers.get('set-cookie')?.split(';')[0] ?? '', Origin: new URL(address).origin };
    const csrf = /name="csrf" value="([^"]+)/.exec(await shown.text())?.[1] ?? '';
    const body = new URLSearchParams({ csrf, answer: given });
    return (await fetch(address, { method: 'POST', headers, body })).text();
  };

  it('is one, also for two calls at the same time, and is answered once', async () => {
    // Both get each response at the same time.
    const waiting: (() => void)[] = [];
    let isPaired = false;
    const before = () =>
      new Promise<undefined>((resolve) => {
        waiting.push(() => resolve(undefined));
        if (!isPaired || waiting.length === 2) for (const each of waiting.splice(0)) each();
      });
    const { apply, addresses } = await pages(await between(service.url(), { before }));
    isPaired = true;
    const results = [apply(), apply()];
    await vi.waitFor(() => expect(addresses()).toHaveLength(1), { timeout: 10_000 });
    await new Promise((resolve) => setTimeout(resolve, 500));
    isPaired = false;
    const [address = '', ...others] = addresses();
    expect(others).toEqual([]);
    expect(await answer(address, 'approve')).toContain('Applied 1 change.');
    expect(await Promise.all(results)).toMatchObject([{ applied: 1 }, { applied: 1 }]);
    expect(writes).toEqual(['campaigns.pause']);
  });

  it('does not keep the process when its question was taken back and the client has ended', async () => {
    const { client, call, digest, addresses } = await pages(service.url(), { LC_ALL: 'C' });
    const cancel = new AbortController();
    const result = call('apply_plan', { digest }, { signal: cancel.signal });
    const cancelled = expect(result).rejects.toThrow();
    await vi.waitFor(() => expect(addresses()).toHaveLength(1), { timeout: 10_000 });
    cancel.abort();
    await cancelled;
    const start = Date.now();
    await client.close();
    // The client kills a process after two seconds.
    expect(Date.now() - start).toBeLessThan(1500);
  });

  it('is another one after the time for an answer is over', async () => {
    const preload = join(temporaryFolder(), 'soon.cjs');
    // Half an hour is a second.
    const half =
      'const late = setTimeout; globalThis.setTimeout = (f, ms, ...a) => late(f, ms === 18e5 ? 1000 : ms, ...a);';
    writeFileSync(preload, half);
    const { apply, addresses } = await pages(service.url(), { NODE_OPTIONS: `--require=${preload}` });
    expect((await apply()).error?.message).toContain('Nothing was changed.');
    const again = apply();
    await vi.waitFor(() => expect(addresses()).toHaveLength(2), { timeout: 10_000 });
    await expect(fetch(addresses()[0] ?? '')).rejects.toThrow();
    expect(await answer(addresses()[1] ?? '', 'approve')).toContain('Applied 1 change.');
    expect(await again).toMatchObject({ applied: 1 });
  });
});

describe('a long plan', () => {
  const campaigns = Array.from({ length: 12 }, (_, index) => ({ name: `Made ${index}` }));

  it('reports its progress', async () => {
    const { call, client } = await assistant();
    const { digest } = await call('plan_changes', { campaigns });
    const progress: unknown[] = [];
    // The client does not pass on the last notice if the result arrives in the same piece.
    client.setNotificationHandler('notifications/progress', ({ params: { progressToken: _, ...update } }) => {
      progress.push(update);
    });
    await call('apply_plan', { digest }, { onprogress: () => undefined });
    expect(progress).toEqual(campaigns.map((_, index) => ({ progress: index + 1, total: campaigns.length })));
  });

  it.each(revisions)('stops when the call is cancelled, and returns later what it did: %s', async (revision) => {
    const cancel = new AbortController();
    const url = await between(service.url(), {
      before: async ({ method }) => {
        if (method !== 'POST') return;
        if (writes.length === 3) cancel.abort();
        await new Promise((resolve) => setTimeout(resolve, 50));
      },
    });
    const { call } = await assistant({ revision, url });
    const { digest } = await call('plan_changes', { campaigns });
    await expect(call('apply_plan', { digest }, { signal: cancel.signal })).rejects.toThrow();
    const later = await call('apply_plan', { digest });
    const done = (later.data as readonly Row[]).filter(({ outcome }) => outcome === 'done');
    expect(later).toMatchObject({ earlier: expect.any(String), undo: expect.any(Number), applied: done.length });
    expect(done.length).toBe(writes.length);
    expect(writes.length).toBeLessThan(8);
  });
});
