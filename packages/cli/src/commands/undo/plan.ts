import type { Marketplace } from '@mkt/sdk';
import { NotFoundError } from '@mkt/sdk';
import { contract, type Endpoint } from '@mkt/sdk/contract';
import { fieldNames } from '../../api/field-flags.js';
import { drafts } from '../../api/labels.js';
import { operationsOf } from '../../api/operations.js';
import { idOf } from '../../api/organization.js';
import type { FieldChange } from '../../changes/plan-lines.js';
import type { Context } from '../../context/context.js';
import { placeFlags } from '../../context/next-command.js';
import { cellText, pick, type Row, valueAt } from '../../text/row.js';
import type { Effect } from './store.js';

/** How an effect is taken back. */
export interface Step {
  readonly effect: Effect;
  /** `none`: nothing is left to do. */
  readonly kind: 'update' | 'delete' | 'create' | 'action' | 'none';
  /** Of an action: `resume`. */
  readonly action?: string;
  readonly fields: readonly FieldChange[];
  /** Parts that were changed since, and stay as they are. */
  readonly skipped: readonly string[];
  /** Why it is impossible, and what is closest. */
  readonly refused?: string;
  /** The request; the ETag of the row that was compared makes it conditional. */
  readonly send?: () => PromiseLike<unknown>;
}

const isSame = (left: unknown, right: unknown): boolean =>
  JSON.stringify(left ?? null) === JSON.stringify(right ?? null);

/** Fields that follow from others. */
const DERIVED = ['updated_at', 'paused_at', 'published_at'];

/** The action that leads back; undefined if there is none. */
const actionBack = (name: 'campaigns' | 'collabs', before: string, after: string): string | undefined =>
  Object.entries<Endpoint>(contract[name]).find(
    ([, { transition }]) => transition?.to === before && transition.from.includes(after),
  )?.[0];

/** What cannot be taken back, by the state after. */
const FINAL: Readonly<Record<string, string>> = {
  'campaigns draft active': 'A published campaign cannot become a draft again. Closest: mkt campaigns pause',
  'collabs draft submitted_for_review':
    'A submitted collab cannot become a draft again. The marketplace reviews it; afterwards: mkt collabs pause',
};

/** Fields that go back, and those that another command or client has changed since. */
function fieldsBack({ fields }: Effect, row: Row, writable: readonly string[]) {
  const back: FieldChange[] = [];
  const skipped: string[] = [];
  for (const [field, { before, after }] of fields) {
    const now = valueAt(row, field);
    if (!writable.includes(field) || isSame(now, before)) continue;
    if (isSame(now, after)) back.push({ field, from: now ?? null, to: before ?? null });
    else skipped.push(`${field} has changed since`);
  }
  return { back, skipped };
}

const sent = (back: readonly FieldChange[]): Record<string, unknown> =>
  Object.fromEntries(back.map(({ field, to }) => [field, to]));

const refuse = (effect: Effect, refused: string): Step => ({ effect, kind: 'none', fields: [], skipped: [], refused });
const nothing = (effect: Effect): Step => ({ effect, kind: 'none', fields: [], skipped: [] });
const skip = (effect: Effect, reason: string): Step => ({ effect, kind: 'none', fields: [], skipped: [reason] });

/** Reads a resource; undefined if there is none. */
async function found<Result>(read: () => PromiseLike<Result>): Promise<Result | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** How much the clocks of the service and of this machine may differ, in milliseconds. */
const clockDifference = 300_000;

export class Planner {
  constructor(
    readonly context: Context,
    readonly client: Marketplace,
  ) {}

  get #options() {
    return { signal: this.context.io.interrupted };
  }

  /** How an effect would be taken back now. */
  plan(effect: Effect): Promise<Step> | Step {
    const { resource } = effect;
    if (resource === 'campaigns' || resource === 'collabs') return this.#draft(effect, resource);
    if (resource === 'members') return this.#member(effect);
    if (resource === 'organizations') return this.#organization(effect);
    if (resource === 'address') return this.#address(effect);
    if (resource === 'social-accounts') return this.#socialAccount(effect);
    if (effect.deleted !== undefined)
      return refuse(effect, 'A revoked token does not work again. Closest: mkt tokens create');
    return refuse(effect, `A token is not revoked by an undo. To revoke it: mkt tokens revoke ${effect.id}`);
  }

  async #draft(effect: Effect, name: 'campaigns' | 'collabs'): Promise<Step> {
    const resource = drafts[name];
    const { id, organization, created, deleted } = effect;
    const { field, initial } = resource.states;
    const operations = operationsOf(resource, this.client, organization, this.#options);
    if (deleted !== undefined) return created === undefined ? this.#again(effect, name, deleted) : nothing(effect);
    const response = await found(() => operations.get(id).withResponse());
    if (response === undefined) return created ? nothing(effect) : skip(effect, 'it does not exist any more');
    const { data: row, meta } = response;
    const state = cellText(valueAt(row, field));
    if (created !== undefined) {
      if (state !== initial)
        return refuse(
          effect,
          `Only a draft can be deleted, and it is ${state}. ${FINAL[`${name} ${initial} ${state}`] ?? ''}`.trim(),
        );
      const others = fieldNames(resource.creation).filter(
        (each) => each in created && !isSame(valueAt(row, each), effect.fields.get(each)?.after ?? created[each]),
      );
      if (others.length > 0) return skip(effect, `${others.join(', ')} has changed since`);
      const { client } = this;
      return {
        ...nothing(effect),
        kind: 'delete',
        send: () => client[name].delete(organization, id, { ...this.#options, ifMatch: meta.etag ?? undefined }),
      };
    }
    const { back, skipped } = fieldsBack(effect, row, fieldNames(resource.changes));
    const change = effect.fields.get(field);
    if (change !== undefined) {
      const [before, after] = [cellText(change.before), cellText(change.after)];
      const key = `${name} ${before} ${after}`;
      const action = actionBack(name, before, after);
      if (FINAL[key] !== undefined)
        return { ...refuse(effect, `${FINAL[key]} ${id}${placeFlags(this.context)}`), skipped };
      if (state === after && action !== undefined) {
        const send = operations.actions[action];
        if (send === undefined) throw new Error(`mkt has no action ${name}.${action}.`);
        return {
          effect,
          kind: 'action',
          action,
          fields: [{ field, from: state, to: before }],
          skipped,
          send: () => send(id),
        };
      }
      if (state !== before) skipped.push(`it is ${state} now`);
    }
    const lost = [...effect.fields.keys()].filter(
      (each) =>
        each !== field &&
        !DERIVED.includes(each) &&
        !fieldNames(resource.changes).includes(each) &&
        !isSame(valueAt(row, each), effect.fields.get(each)?.before),
    );
    skipped.push(...lost.map((each) => `${each} cannot be set`));
    if (back.length === 0) return { ...nothing(effect), skipped };
    const ifMatch = meta.etag ?? undefined;
    return { effect, kind: 'update', fields: back, skipped, send: () => operations.update(id, sent(back), ifMatch) };
  }

  /** Creates a deleted draft again, unless an earlier undo has done so and its response was lost. */
  async #again(effect: Effect, name: 'campaigns' | 'collabs', deleted: Row): Promise<Step> {
    const resource = drafts[name];
    const operations = operationsOf(resource, this.client, effect.organization, this.#options);
    const fields = pick(deleted, fieldNames(resource.creation)) as Record<string, unknown>;
    const since = Date.parse(effect.at) - clockDifference;
    const isIt = (row: Row) =>
      Date.parse(cellText(valueAt(row, 'created_at'))) >= since &&
      Object.entries(fields).every(([field, each]) => field === 'brief' || isSame(valueAt(row, field), each));
    for (const row of await operations.list().all()) if (isIt(row) && idOf(row) !== effect.id) return nothing(effect);
    return {
      effect,
      kind: 'create',
      fields: Object.entries(fields).map(([field, to]) => ({ field, from: null, to })),
      skipped: [],
      send: () => operations.create(fields),
    };
  }

  async #member(effect: Effect): Promise<Step> {
    const { id, organization, deleted } = effect;
    if (deleted !== undefined)
      return refuse(effect, 'A member who was removed has to be invited again, on the website.');
    const rows: readonly Row[] = await this.client.members.list(organization, this.#options).all();
    const row = rows.find((each) => idOf(each) === id);
    if (row === undefined) return skip(effect, 'the member has left');
    const { back, skipped } = fieldsBack(effect, row, ['role']);
    if (back.length === 0) return { ...nothing(effect), skipped };
    const role = back[0]?.to === 'admin' ? 'admin' : 'member';
    const send = () => this.client.members.update(organization, id, { role }, this.#options);
    return { effect, kind: 'update', fields: back, skipped, send };
  }

  async #organization(effect: Effect): Promise<Step> {
    const { id, created, deleted } = effect;
    if (deleted !== undefined)
      return refuse(effect, 'A deleted organization is gone. Closest: mkt organizations create');
    if (created !== undefined)
      return refuse(effect, `An organization is not deleted by an undo. To delete it: mkt organizations delete ${id}`);
    const response = await found(() => this.client.organizations.get(id, this.#options).withResponse());
    if (response === undefined) return skip(effect, 'it does not exist any more');
    const { data: row, meta } = response;
    const { back, skipped } = fieldsBack(effect, row, ['name', 'privacy_setting', 'website']);
    if (effect.fields.has('logo_url')) skipped.push('the logo cannot be set back');
    if (back.length === 0) return { ...nothing(effect), skipped };
    const options = { ...this.#options, ifMatch: meta.etag ?? undefined };
    const send = () => this.client.organizations.update(id, sent(back), options);
    return { effect, kind: 'update', fields: back, skipped, send };
  }

  async #address(effect: Effect): Promise<Step> {
    const { created, deleted } = effect;
    const { address } = this.client;
    const row = await found(() => address.get(this.#options));
    const writable = fieldNames('addressFields');
    if (created !== undefined) {
      if (row === undefined) return nothing(effect);
      return { ...nothing(effect), kind: 'delete', send: () => address.delete(this.#options) };
    }
    if (deleted !== undefined) {
      if (row !== undefined) return skip(effect, 'there is another address now');
      const fields = pick(deleted, writable) as Record<string, unknown>;
      const changes = Object.entries(fields).map(([field, to]) => ({ field, from: null, to }));
      return {
        effect,
        kind: 'create',
        fields: changes,
        skipped: [],
        send: () => address.update(fields, this.#options),
      };
    }
    if (row === undefined) return skip(effect, 'it does not exist any more');
    const { back, skipped } = fieldsBack(effect, row, writable);
    if (back.length === 0) return { ...nothing(effect), skipped };
    return { effect, kind: 'update', fields: back, skipped, send: () => address.update(sent(back), this.#options) };
  }

  async #socialAccount(effect: Effect): Promise<Step> {
    const { id, created, deleted } = effect;
    const { socialAccounts } = this.client;
    const rows: readonly Row[] = await socialAccounts.list(this.#options).all();
    if (created !== undefined) {
      if (!rows.some((row) => idOf(row) === id)) return nothing(effect);
      return { ...nothing(effect), kind: 'delete', send: () => socialAccounts.delete(id, this.#options) };
    }
    const account_url = cellText(deleted?.account_url);
    if (rows.some((row) => valueAt(row, 'account_url') === account_url)) return nothing(effect);
    const fields = { platform_id: cellText(deleted?.platform_id), account_url };
    const changes = Object.entries(fields).map(([field, to]) => ({ field, from: null, to }));
    return {
      effect,
      kind: 'create',
      fields: changes,
      skipped: [],
      send: () => socialAccounts.create(fields, this.#options),
    };
  }
}
