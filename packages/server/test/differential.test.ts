import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { endpoints } from '@mkt/sdk/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type App, createApp, type Dump, demoSeed, type IdFormat, type MemoryStore } from '../src/index.js';
import type { Id, Row } from '../src/store/tables.js';
import { sealer } from '../src/web/signing.js';
import { webPages } from '../src/web/web-pages.js';
import { type GeneratedRequest, toRequest } from './support/generated-requests.js';
import { json, type Step, step } from './support/generated-steps.js';
import { isLong } from './support/long.js';
import { openTestStore, storeKinds, type TestStore } from './support/stores.js';

const perSequence = 30;
const patience = isLong ? 3_600_000 : 600_000;
/** To replay a failure: `TEST_SEED=<seed> TEST_PATH=<path> npx vitest run --project server differential`. */
const { TEST_SEED, TEST_PATH } = process.env;

/** Random values are the same on every side: stores make ids of them. */
const drawn = new AsyncLocalStorage<{ count: number }>();
const getRandomValues = crypto.getRandomValues.bind(crypto);
beforeAll(() => {
  vi.spyOn(crypto, 'getRandomValues').mockImplementation((values) => {
    const draws = drawn.getStore();
    if (!draws || !(values instanceof Uint8Array)) return getRandomValues(values);
    draws.count += 1;
    values.set(createHash('sha512').update(`values ${draws.count}`).digest().subarray(0, values.length));
    return values;
  });
});
afterAll(() => vi.restoreAllMocks());

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const sessionSecret = 'the same on every store';
/** A header with the message in its encrypted cookie, which is another text each time. */
const opened = (value: string): string =>
  value.replace(/(?<=mkt_flash=)[\w-]+/, (sealed) => {
    const { until: _, ...flash } = sealer(sessionSecret).open<{ until: string }>(sealed) ?? { until: null };
    return JSON.stringify(flash);
  });

/** The app over one store, with a clock and chances that are the same for every store. */
class Side {
  #app: App | undefined;
  #draws = 0;
  #values = { count: 0 };
  seconds = 0;

  constructor(
    readonly opened: TestStore,
    readonly unexpected: unknown[],
  ) {}

  readonly #random = (bytes: number): string => {
    this.#draws += 1;
    return createHash('sha512').update(`${this.#draws}`).digest().subarray(0, bytes).toString('base64url');
  };
  readonly #now = () => Date.parse('2026-06-01T12:00:00Z') + this.seconds * 1000;

  async begin(): Promise<void> {
    const { store } = this.opened;
    await store.load(demoSeed(store.ids));
    this.#draws = 0;
    this.#values = { count: 0 };
    this.seconds = 0;
    this.#app = createApp({
      store,
      renderer: webPages({ sessionSecret }),
      clock: this.#now,
      random: this.#random,
      onError: (error) => this.unexpected.push(error),
    });
  }

  async send(sent: Request): Promise<Answer> {
    const response = await drawn.run(this.#values, () => (this.#app as App).fetch(sent));
    return {
      status: response.status,
      headers: Object.fromEntries([...response.headers].sort().map(([name, value]) => [name, opened(value)])),
      text: Buffer.from(await response.arrayBuffer()).toString('latin1'),
    };
  }

  /** Changes a row as the marketplace itself does. Returns whether it exists. */
  act(name: string, number: number, idIn: IdIn): Promise<boolean> {
    const updated_at = new Date(this.#now()).toISOString().replace(/\.\d+Z$/, 'Z');
    const update = <T extends 'campaigns' | 'collabs' | 'social_accounts'>(
      table: T,
      changes: (row: Row<T>) => Partial<Row<T>>,
    ) =>
      this.opened.store.transact(async (writer) => {
        const row = await writer.get(table, idIn(table, number) as Id<T>);
        // The rows of a deleted organization may still exist for a moment.
        const { organization_id } = (row ?? {}) as { organization_id?: Id<'organizations'> };
        if (!row || (organization_id && !(await writer.get('organizations', organization_id)))) return false;
        await writer.update(table, row.id as Id<T>, { ...changes(row), updated_at } as Partial<Row<T>>);
        return true;
      });
    const acts: Readonly<Record<string, () => Promise<boolean>>> = {
      fund: () =>
        update('campaigns', ({ total_budget_amount, unused_amount }) => ({
          total_budget_amount: total_budget_amount + 1000 * number,
          unused_amount: unused_amount + 1000 * number,
        })),
      finish: () => update('campaigns', () => ({ status: 'finished', paused_at: null })),
      review: () => {
        const state = number % 3 ? 'published' : 'draft';
        return update('collabs', () => ({ state, published_at: state === 'published' ? updated_at : null }));
      },
      results: () =>
        update('collabs', ({ submissions_count, approved_submissions_count }) => ({
          submissions_count: submissions_count + 2,
          approved_submissions_count: approved_submissions_count + 1,
        })),
      sync: () =>
        update('social_accounts', () => ({ status: 'verified', view_count: 2 ** 53 - 1, engagement_rate: '4.20' })),
    };
    return (acts[name] as () => Promise<boolean>)();
  }
}

/** What later steps refer to. All sides give the same answers, so one memory serves them all. */
class Seen {
  token: string | null = null;
  read: { readonly path: string; readonly headers: Readonly<Record<string, string>>; readonly etag: string } | null =
    null;
  member: string | null = null;
  picture: string | null = null;

  note(sent: Request, { status, headers, text }: Answer): void {
    const path = new URL(sent.url).pathname + new URL(sent.url).search;
    if (sent.method === 'GET' && headers.etag)
      this.read = { path, headers: Object.fromEntries(sent.headers), etag: headers.etag };
    if (status === 201) this.token = /"token":"([^"]+)"/.exec(text)?.[1] ?? this.token;
    const members = /\/organizations\/([^/]+)\/members/.exec(path);
    if (members && status === 200 && text.startsWith('[')) {
      const ids = [...text.matchAll(/"id":"(mem[^"]*)"/g)].map(([, id]) => id);
      this.member = ids.length ? `/organizations/${members[1]}/members/${ids.at(-1)}.json` : this.member;
    }
    this.picture = /"(?:logo|banner_image)_url":"http:\/\/localhost(\/[^"]+)"/.exec(text)?.[1] ?? this.picture;
  }
}

const numberedTables = ['organizations', 'campaigns', 'collabs', 'social_accounts', 'access_tokens'] as const;
/** The id of the row with this number; the number itself if there is no such row. */
type IdIn = (table: (typeof numberedTables)[number], number: number) => number | string;

/** Integers in the path of a generated request are numbers of rows: here they become the ids of these rows. */
function withIds(request: GeneratedRequest, idIn: IdIn): GeneratedRequest {
  const path = request.path
    .replace(new RegExp(`/(${numberedTables.join('|')})/(\\d{1,9})`, 'g'), (_, table, number) => {
      return `/${table}/${idIn(table, Number(number))}`;
    })
    .replace(/\/mem_(\d+)_/, (_, number) => `/mem_${idIn('organizations', Number(number))}_`);
  return { ...request, path };
}

const at = (path: string, init: RequestInit) => () => new Request(`http://localhost${path}`, init);

/** The request of a step, created for each side; `null` if it refers to a resource that does not exist yet. */
function requestOf(taken: NonNullable<Step>, seen: Seen, idIn: IdIn): (() => Request) | null {
  if (taken.kind === 'request') return () => toRequest(withIds(taken.request, idIn));
  if (taken.kind === 'with new token') {
    const authorization = `Bearer ${seen.token}`;
    const headers = { ...taken.request.headers, authorization };
    return seen.token === null ? null : () => toRequest({ ...withIds(taken.request, idIn), headers });
  }
  if (taken.kind === 'conditional' && seen.read) {
    const headers = { ...seen.read.headers, 'if-none-match': `"other", ${seen.read.etag}` };
    return at(seen.read.path, { headers });
  }
  if (taken.kind === 'member seen' && seen.member) {
    const headers = { ...json, authorization: `Bearer mkt_demo_${taken.who}` };
    const body = JSON.stringify({ membership: { role: taken.role } });
    return taken.role === null
      ? at(seen.member, { method: 'DELETE', headers })
      : at(seen.member, { method: 'PATCH', headers, body });
  }
  if (taken.kind === 'picture' && seen.picture) return at(seen.picture, {});
  return null;
}

const same = (what: string, results: readonly unknown[]): void => {
  const [first, ...others] = results;
  for (const [index, other] of others.entries())
    expect({ store: storeKinds[index + 1], [what]: other }).toEqual({ store: storeKinds[index + 1], [what]: first });
};

/** Every row and serial number as one line, whatever the order of its columns. */
const rowsOf = ({ tables, serials }: Dump): string[] =>
  Object.entries<readonly object[]>({ ...tables, serials: [serials] }).flatMap(([table, rows]) =>
    rows.map((row) => `${table} ${JSON.stringify(Object.entries(row).sort())}`),
  );

describe.each<[IdFormat, number]>([
  ['integer', isLong ? 1000 : 16],
  ['opaque', isLong ? 1000 : 8],
])('with %s ids', (ids, sequences) => {
  const sides: Side[] = [];
  const unexpected: unknown[] = [];
  /** How often each endpoint succeeded, and how often each status was answered. */
  const successes = new Map<string, number>();
  const statuses = new Map<number, number>();

  beforeAll(async () => {
    for (const kind of storeKinds) sides.push(new Side(await openTestStore(kind, ids), unexpected));
  });
  afterAll(async () => {
    for (const { opened } of sides) await opened.dispose();
  });

  const idIn: IdIn = (table, number) => {
    const [memory] = sides as [Side];
    return (memory.opened.store as MemoryStore).idOf(table, number) ?? number;
  };

  async function run(steps: readonly Step[]): Promise<void> {
    await Promise.all(sides.map((side) => side.begin()));
    const seen = new Seen();
    for (const taken of steps) {
      if (taken === null) continue;
      for (const side of sides) side.seconds += 1;
      if (taken.kind === 'act') {
        same('act', await Promise.all(sides.map((side) => side.act(taken.name, taken.id, idIn))));
        continue;
      }
      const make = requestOf(taken, seen, idIn);
      if (!make) continue;
      const answers = await Promise.all(sides.map((side) => side.send(make())));
      expect(unexpected.splice(0)).toEqual([]);
      same('answer', answers);
      const [answer] = answers as [Answer];
      seen.note(make(), answer);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (taken.kind === 'request' && answer.status < 400) {
        const { operation } = taken.request;
        successes.set(operation, (successes.get(operation) ?? 0) + 1);
      }
    }
    const [first = [], ...others] = (await Promise.all(sides.map((side) => side.opened.store.dump()))).map(rowsOf);
    for (const [index, rows] of others.entries()) {
      const store = storeKinds[index + 1];
      const lacking = first.filter((row) => !rows.includes(row));
      const having = rows.filter((row) => !first.includes(row));
      expect({ store, lacking, having }).toEqual({ store, lacking: [], having: [] });
    }
  }

  test(
    `${sequences} sequences of ${perSequence} requests: memory, SQLite and PostgreSQL answer alike and end up alike`,
    async () => {
      await fc.assert(fc.asyncProperty(fc.array(step, { minLength: perSequence, maxLength: perSequence }), run), {
        numRuns: sequences,
        endOnFailure: false,
        ...(TEST_SEED !== undefined && { seed: Number(TEST_SEED) }),
        ...(TEST_PATH !== undefined && { path: TEST_PATH }),
      });
      if (TEST_SEED !== undefined) return;
      // Sequences that are rejected everywhere would prove nothing. In a short run chance leaves out some operations.
      const untouched = endpoints
        .filter(({ operation }) => !successes.has(operation))
        .map(({ operation }) => operation);
      expect(untouched.length, untouched.join()).toBeLessThanOrEqual(isLong ? 0 : (2 / 3) * endpoints.length);
      const common = [200, 201, 401, 404, 422];
      expect([...statuses.keys()]).toEqual(
        expect.arrayContaining(isLong ? [...common, 204, 303, 304, 400, 403, 415] : common),
      );
    },
    patience,
  );
});
