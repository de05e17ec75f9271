import { describe, expect, it } from 'vitest';
import { type BrandRow, brandsService, campaignRow } from './support/brands.js';
import { adaWithHistory } from './support/history.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.parse('2026-06-01T08:00:00Z');
const at = (time: number): string => new Date(time).toISOString();
const day = (time: number): string => at(time).slice(0, 10);
const idsOf = (rows: readonly BrandRow[]) => rows.map(({ id }) => id);

/** What an active campaign uses per day; it was published so many days after the start. */
const paces = [
  { id: 1, perDay: 3000, published: -100 },
  { id: 2, perDay: 12_000, published: -100 },
  { id: 3, perDay: 0, published: -100 },
  { id: 4, perDay: 5000, published: 12 },
  { id: 5, perDay: 90_000, published: -100, status: 'paused' },
  { id: 6, perDay: 0, published: -100, used: 100_000 },
  { id: 7, perDay: 800, published: -100, currency: 'eur' },
];

const campaignsAt = (time: number): BrandRow[] =>
  paces.map(({ id, perDay, published, used = 0, ...fields }) => {
    const start = START + published * DAY;
    const since = Math.max(start, START);
    const amount = used + Math.round((perDay * Math.max(0, time - since)) / DAY / 5);
    const published_at = time < start ? null : at(start);
    return campaignRow(id, {
      status: time < start ? 'draft' : 'active',
      published_at,
      used_amount: amount,
      unused_amount: 100_000 - amount,
      ...fields,
    });
  });

/** The campaigns that end before a day, by what they really use. */
const endingBefore = (time: number, limit: string) =>
  campaignsAt(time).flatMap(({ id, status, unused_amount }): { id: BrandRow['id']; ends_on: string | null }[] => {
    const { perDay = 0 } = paces.find((each) => each.id === id) ?? {};
    if (status !== 'active') return [];
    if (unused_amount === 0) return [{ id, ends_on: null }];
    const ends = time + (Number(unused_amount) / (perDay / 5)) * DAY;
    return perDay > 0 && day(ends) < limit ? [{ id, ends_on: day(ends) }] : [];
  });

describe('mkt campaigns list --ends-before', () => {
  it('has those that end before the date at the pace of the last 7 days', async () => {
    const brand = { name: 'Acme', campaigns: [] as readonly BrandRow[] };
    const { run, json, state } = await brandsService([brand]);
    const read = async (time: number, ...argv: string[]) => {
      state.now = new Date(time);
      brand.campaigns = campaignsAt(time);
      return run(argv.length > 0 ? argv : ['watch', '--once']);
    };
    // Readings drift: none is exactly a week before the list.
    for (let days = 0; days <= 12; days += 3) await read(START + days * DAY + ((days * 7919) % 90) * 60_000);
    const now = START + 14 * DAY;
    for (const limit of ['2026-07-20', '2026-08-20', '2027-03-01']) {
      await read(now);
      const rows = await json('campaigns', 'list', '--ends-before', limit);
      const wanted = endingBefore(now, limit);
      expect(rows.map(({ id, ends_on }: BrandRow) => ({ id, ends_on }))).toEqual(wanted);
      expect(wanted.length).toBeGreaterThan(1);
      for (const { id, used_per_day } of rows)
        expect(Math.abs(used_per_day - (paces.find((each) => each.id === id)?.perDay ?? 0) / 5)).toBeLessThan(2);
    }
    const table = await read(now, 'campaigns', 'list', '--ends-before', '2026-07-20', '--sort', 'ends_on');
    expect(table.stdout).toMatch(/USED_PER_DAY +ENDS_ON\n2 .* 2400(\.\d+)? +2026-07-13\n6 .* 0 *\n$/);
    expect(table.stderr).toContain('The history of Acme begins at 2026-06-01 08:00 UTC.\n');
    for (const format of ['table', 'csv']) {
      const all = ['campaigns', 'list', '--all-orgs', '--ends-before', '2026-07-20', '--format', format];
      const summary =
        format === 'csv' ? '' : `${endingBefore(now, '2026-07-20').length} campaigns of 1 organization.\n`;
      expect((await read(now, ...all)).stderr).toBe(`${summary}The history of Acme begins at 2026-06-01 08:00 UTC.\n`);
    }
    // They also choose what an action changes, and CSV has the columns without any row.
    const dry = await read(now, 'campaigns', 'pause', '--ends-before', '2026-07-20', '--dry-run', '--jq', '[.[].id]');
    expect(JSON.parse(dry.stdout)).toEqual(endingBefore(now, '2026-07-20').map(({ id }) => id));
    const none = await read(now, 'campaigns', 'list', '--ends-before', '2026-07-20', '--name', 'x', '--format', 'csv');
    expect(none.stdout).toMatch(/,used_per_day,ends_on\n$/);
  });

  it('says what the history cannot know, with exit code 0', async () => {
    const brand = { name: 'Acme', campaigns: [] as readonly BrandRow[] };
    const { run, state } = await brandsService([brand]);
    // A pace of less than a day does not count.
    for (const hours of [0, 23, 24]) {
      state.now = new Date(START + 13 * DAY + hours * HOUR);
      brand.campaigns = campaignsAt(state.now.getTime());
      const { code, stdout, stderr } = await run(['campaigns', 'list', '--ends-before', '2027-09-30', '--json']);
      // What is used up, and what was published within the week, is known from the service.
      expect({ code, ids: idsOf(JSON.parse(stdout)) }).toEqual({ code: 0, ids: hours < 24 ? [4, 6] : [1, 2, 4, 6] });
      expect(stderr).toBe(
        hours < 24
          ? 'warning: The history of Acme begins at 2026-06-14 08:00 UTC and does not know enough of 4 campaigns yet, which may be missing here. To record more: mkt watch --once (in cron)\n'
          : 'The history of Acme begins at 2026-06-14 08:00 UTC.\n',
      );
    }
  });

  it.each([
    [['--ends-before', '7d'], '--ends-before 7d is not in the future.'],
    [['--ends-before', 'soon'], '--ends-before takes a date or an age'],
    [['--ends-before', '2027-01-01', '--page', '2'], '--page and --ends-before cannot be used together.'],
    [['--no-submissions-for', '2027-01-01'], 'is in the future.'],
    [['--ends-before', '2027-01-01', '3'], 'Unexpected argument'],
  ])('rejects %j before any request', async (argv, message) => {
    const { run, asked } = await brandsService([{ name: 'Acme', campaigns: [] }]);
    const { code, stderr } = await run(['campaigns', 'list', ...argv]);
    expect({ code, stderr, asked }).toEqual({ code: 2, stderr: expect.stringContaining(message), asked: [] });
  });
});

describe('mkt campaigns list --no-submissions-for', () => {
  it('has active campaigns whose count did not grow, and warns of those it cannot know', async () => {
    const counts = (one: number, two: number) => [
      campaignRow(1, { submissions_count: one }),
      campaignRow(2, { submissions_count: two }),
      campaignRow(3),
      campaignRow(4, { published_at: at(START + 5 * DAY) }),
      campaignRow(5, { status: 'finished' }),
    ];
    const brand = { name: 'Acme', campaigns: counts(4, 4) as readonly BrandRow[] };
    const { run, json, state } = await brandsService([brand]);
    const listed = (age: string) => json('campaigns', 'list', '--no-submissions-for', age).then(idsOf);
    state.now = new Date(START);
    expect(await listed('7d')).toEqual([3]);
    expect((await run(['campaigns', 'list', '--no-submissions-for', '7d'])).stderr).toContain(
      'does not know enough of 2 campaigns yet',
    );
    state.now = new Date(START + DAY);
    brand.campaigns = counts(4, 5);
    await run(['watch', '--once']);
    state.now = new Date(START + 8 * DAY - HOUR);
    expect(await listed('7d')).toEqual([1, 3]);
    expect(await listed('6d')).toEqual([1, 2, 3]);
    expect(await listed('2d')).toEqual([1, 2, 3, 4]);
  });
});

describe('mkt collabs list --in-review-for', () => {
  const { history, elsewhere, setTime } = adaWithHistory();

  it('has those in review since then, oldest first with --sort, as the service and the history know it', async () => {
    const { ada } = history();
    const at = (time: string, ...argv: string[]) => ada(argv, { now: () => new Date(time) });
    const listed = async (time: string, age: string, ...more: string[]) => {
      const { code, stdout } = await at(time, 'collabs', 'list', '--in-review-for', age, '--json', ...more);
      expect(code).toBe(0);
      return (JSON.parse(stdout) as { id: number; in_review_since: string }[]).map(({ id, in_review_since }) => [
        id,
        in_review_since,
      ]);
    };
    const inReview = JSON.parse(
      (await at('2026-06-01T12:00:00Z', 'collabs', 'list', '--all', '--state', 'submitted_for_review', '--json'))
        .stdout,
    );
    const old = inReview.map(({ id, updated_at }: BrandRow) => [id, new Date(String(updated_at)).toISOString()]);
    await at('2026-06-02T12:00:00Z', 'collabs', 'submit', '1', '--yes');
    expect(await listed('2026-06-05T12:00:00Z', '5d')).toEqual(
      old.filter(([, since = '']: string[]) => since <= '2026-05-31T12'),
    );
    expect(await listed('2026-06-07T12:00:00Z', '5d', '--sort', 'in_review_since')).toEqual(
      [...old, [1, '2026-06-02T12:00:00.000Z']].toSorted(([, one], [, other]) =>
        String(one) < String(other) ? -1 : 1,
      ),
    );
    // An edit in review moves the last change, but not the review.
    setTime(new Date('2026-06-08T00:00:00Z'));
    await elsewhere('PATCH', '/collabs/1', { collab: { name: 'Edited in review' } });
    expect(await listed('2026-06-09T12:00:00Z', '7d')).toContainEqual([1, '2026-06-02T12:00:00.000Z']);
    expect(await listed('2026-06-09T12:00:00Z', '8d')).not.toContainEqual([1, expect.anything()]);
  });
});
