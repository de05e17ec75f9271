import { join } from 'node:path';
import { runCli, type Screen, type Terminal, temporaryFolder } from './run-cli.js';
import { scriptedServer } from './scripted-server.js';
import { tokens } from './service.js';

export type BrandRow = { readonly id: number | string; readonly [field: string]: unknown };

export interface Brand {
  readonly name: string;
  campaigns: readonly BrandRow[];
  collabs?: readonly BrandRow[];
  /** Answers 403 to everything about it. */
  fails?: boolean;
}

const PAGE = 20;

/** A campaign as the API has it. */
export const campaignRow = (id: number, fields: object = {}): BrandRow => ({
  id,
  name: `Campaign ${id}`,
  status: 'active',
  currency: 'usd',
  countries: ['US'],
  platform_ids: ['tiktok'],
  total_budget_amount: 100_000,
  used_amount: 0,
  unused_amount: 100_000,
  view_count: 0,
  submissions_count: 0,
  created_at: '2026-01-01T00:00:00Z',
  published_at: '2026-01-02T00:00:00Z',
  paused_at: null,
  updated_at: '2026-01-02T00:00:00Z',
  ...fields,
});

/** A service with these organizations, numbered from 1, its clock, and someone with a history of their own. */
export async function brandsService(brands: readonly Brand[]) {
  const state = { now: new Date('2026-06-01T12:00:00Z'), zone: 'UTC' };
  const asked: string[] = [];
  /** Answers all requests that are under way together, and counts how often. */
  let held: { count: number; release: Promise<void> } | undefined;
  let roundTrips = 0;
  /** Organizations with requests in this round, and in the round with most. */
  const inRound = new Set<string>();
  let most = 0;
  const hold = async (organization: string | undefined): Promise<void> => {
    if (held === undefined) return;
    if (organization !== undefined) inRound.add(organization);
    most = Math.max(most, inRound.size);
    if (held.count === 0) {
      roundTrips += 1;
      held.release = new Promise((resolve) => {
        let seen = 0;
        const check = (): void => {
          if (held?.count === seen) {
            held.count = 0;
            inRound.clear();
            resolve();
          } else {
            seen = held?.count ?? 0;
            setTimeout(check, 40);
          }
        };
        setTimeout(check, 40);
      });
    }
    held.count += 1;
    await held.release;
  };
  const url = await scriptedServer(async ({ url: path = '' }) => {
    asked.push(path);
    await hold(/^\/organizations\/(\d+)/.exec(path)?.[1]);
    const { pathname, searchParams } = new URL(path, 'http://x');
    const page = Number(searchParams.get('page') ?? 1);
    const listOf = (rows: readonly object[]) => ({
      headers: {
        date: state.now.toUTCString(),
        'total-count': String(rows.length),
        'total-pages': String(Math.ceil(rows.length / PAGE)),
      },
      body: rows.slice(PAGE * (page - 1), PAGE * page),
    });
    if (pathname === '/me/access_tokens.json') return listOf([{ id: 1 }]);
    if (pathname === '/organizations.json') return listOf(brands.map(({ name }, index) => ({ id: index + 1, name })));
    const [, id = '', resource = ''] = /^\/organizations\/(\d+)(?:\/(\w+))?\.json$/.exec(pathname) ?? [];
    const brand = brands[Number(id) - 1];
    if (brand === undefined) return { status: 404, body: { error: 'Not found' } };
    if (brand.fails === true) return { status: 403, body: { error: 'Forbidden' } };
    if (resource === '') return { body: { id: Number(id), name: brand.name } };
    return listOf((resource === 'campaigns' ? brand.campaigns : resource === 'collabs' ? brand.collabs : []) ?? []);
  });
  const history = join(temporaryFolder(), 'history.db');
  const run = (argv: readonly string[], terminal: Terminal = {}): Promise<Screen> =>
    runCli(argv, {
      now: () => state.now,
      ...terminal,
      env: { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: url, MKT_HISTORY: history, ...terminal.env },
    });
  return {
    asked,
    state,
    run,
    /** From now on, answers requests in rounds; gives how many there were, and of how many organizations at most. */
    rounds: () => {
      held = { count: 0, release: Promise.resolve() };
      return () => ({ roundTrips, most });
    },
    json: async (...argv: readonly string[]) => JSON.parse((await run([...argv, '--json'])).stdout),
  };
}
