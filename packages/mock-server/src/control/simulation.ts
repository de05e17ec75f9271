import { type Store, StoreUnavailable } from '@mkt/server';
import { idFrom, type Row, timestamp } from '@mkt/server/extend';
import type { MovableClock } from './clock.js';
import { checked } from './errors.js';
import { type SimulateOptions, simulateOptions } from './inputs.js';

type Campaign = Pick<
  Row<'campaigns'>,
  'id' | 'cpm_amount' | 'total_budget_amount' | 'unused_amount' | 'used_amount' | 'view_count' | 'published_at'
>;

const day = 86_400_000;
/** Real milliseconds in which the campaigns of an organization are updated at most once, unless the clock is moved. */
const interval = 1000;
/** Of an organization, by id. More would make its requests slow. */
const maxCampaigns = 500;

/** The part of a day's views that was earned at a moment: fewer at night. Only exact arithmetic, the same on every platform. */
const partOfDay = (part: number): number => (part < 1 / 3 ? 0.4 * part : 0.4 / 3 + 1.3 * (part - 1 / 3));

/** A number from 0 to 59 that differs by campaign. */
function variation(id: string | number): number {
  let number = 0;
  for (const character of String(id)) number = (number * 31 + character.charCodeAt(0)) % 6007;
  return (number * 37) % 60;
}

/** Views per day: so many that the budget lasts for 30 to 90 days. */
function viewsPerDay({ id, cpm_amount, total_budget_amount }: Campaign): number {
  const days = 30 + variation(id);
  const affordable = cpm_amount > 0 ? (total_budget_amount * 1000) / cpm_amount / days : 0;
  return Math.min(Math.max(affordable, 100 + 10 * variation(id)), 10_000_000);
}

/** What a campaign has earned from one moment to another: the same for one long period as for its parts. */
function growth(campaign: Campaign, from: number, to: number): Partial<Row<'campaigns'>> | null {
  const start = Date.parse(campaign.published_at ?? '') || 0;
  const rate = viewsPerDay(campaign);
  const viewsAt = (moment: number): number => {
    const days = Math.max(moment - start, 0) / day;
    return Math.floor(rate * (Math.floor(days) + partOfDay(days - Math.floor(days))));
  };
  const { view_count, cpm_amount, used_amount, unused_amount } = campaign;
  const cost = (views: number): number => Math.floor((views * cpm_amount) / 1000);
  const views = viewsAt(to) - viewsAt(from);
  // Videos are still watched when the budget is spent, but creators publish no more of them.
  const paid = cpm_amount > 0 ? Math.min(views, Math.ceil((unused_amount * 1000) / cpm_amount)) : views;
  const earned = paid + Math.floor((views - paid) / 10);
  const spent = Math.min(unused_amount, cost(view_count + paid) - cost(view_count));
  const next = view_count + earned;
  if (earned <= 0 || !Number.isSafeInteger(next) || !Number.isSafeInteger(cost(next))) return null;
  return { view_count: next, used_amount: used_amount + spent, unused_amount: unused_amount - spent };
}

/**
 * Lets active campaigns earn views and spend their budget, never more than that, as the clock passes. It has no timer: the
 * campaigns of an organization are updated before a request for it.
 */
export class Simulation {
  /** Until when the campaigns of an organization have earned. */
  readonly #earned = new Map<
    string | number,
    { readonly until: number; readonly real: number; readonly moves: number }
  >();
  readonly #running = new Map<string | number, Promise<void>>();

  constructor(
    private readonly store: Store,
    private readonly clock: MovableClock,
    private readonly startedAt: number,
  ) {}

  /** Updates the campaigns of the organization in this URL, if there is one. */
  async update(url: string): Promise<void> {
    const [, text] = /\/organizations\/([^/?#.]+)/.exec(url) ?? [];
    const id = text === undefined ? null : idFrom(text, this.store);
    if (!id) return;
    const before = this.#earned.get(id);
    if (before && before.moves === this.clock.moves && Date.now() - before.real < interval) return;
    const running = this.#running.get(id) ?? this.#earn(id, before?.until ?? this.startedAt);
    this.#running.set(id, running);
    await running.finally(() => this.#running.delete(id));
  }

  async #earn(id: string | number, from: number): Promise<void> {
    const { moves } = this.clock;
    const until = this.clock.now();
    try {
      const exists = await this.store.transact(async (writer) => {
        await writer.lock('organizations', id);
        if (!(await writer.get('organizations', id))) return false;
        const slice = { offset: 0, limit: maxCampaigns };
        const updated_at = timestamp(until);
        for (const campaign of await writer.page('campaigns', 'byOrganizationAndStatus', [id, 'active'], slice)) {
          const changes = growth(campaign, from, until);
          if (changes) await writer.update('campaigns', campaign.id, { ...changes, updated_at });
        }
        return true;
      });
      if (exists) this.#earned.set(id, { until, real: Date.now(), moves });
    } catch (error) {
      // The request itself shows it if it needs the store. The campaigns earn the same later.
      if (!(error instanceof StoreUnavailable)) throw error;
    }
  }
}

/** @throws {ControlError} for a speed that is not possible */
export const checkSimulation = (options: SimulateOptions): SimulateOptions =>
  checked('simulate', simulateOptions, options);
