import type * as z from 'zod/mini';
import * as accessTokens from '../../rules/access-tokens.js';
import * as addresses from '../../rules/address.js';
import * as campaigns from '../../rules/campaigns.js';
import { definedFields } from '../../rules/changes.js';
import * as collabs from '../../rules/collabs.js';
import type { Context, MemberContext } from '../../rules/context.js';
import { RuleError } from '../../rules/errors.js';
import { storeImage } from '../../rules/images.js';
import * as organizations from '../../rules/organizations.js';
import { membershipId } from '../../rules/policy.js';
import { fieldLabel, sentencesOf } from '../../rules/problems.js';
import * as socialAccounts from '../../rules/social-accounts.js';
import { Conflict, type Writer } from '../../store/store.js';
import type { AnyRow, DataTableName, IdFormat, NewRow, Row, TableName } from '../../store/tables.js';
import { freeName } from '../source-options.js';
import { creationOf, timeline } from '../timeline.js';
import { readImage } from './image.js';
import { listsBelow, ownFields, type StoredList, storedLists } from './lists.js';
import { nearest } from './nearest.js';
import { SeedPlaces } from './places.js';
import type * as schema from './schema.js';
import type { SeedFile } from './schema.js';
import { type Path, SeedError, type SeedSource } from './source.js';

export interface SeedOptions extends Pick<Context, 'sha256' | 'random'> {
  /** The format of ids of the store that the seed is for. @default 'integer' */
  readonly ids?: IdFormat;
  /** Reads an image that the seed names by its path. */
  readonly readImage?: (path: string) => Promise<Uint8Array>;
}

/** The states whose items have a `published_at`. */
const publishedIn = {
  campaigns: { draft: false, active: true, paused: true, finished: true },
  collabs: { draft: false, submitted_for_review: false, published: true, paused: true },
};

/** What rules get besides fields. */
const noExtras = { purge: false, image: null, prefill: null };

/** Columns by table that replace what a rule inserts. */
type Overrides = { readonly [T in TableName]?: Partial<Row<T>> };

interface Home {
  readonly organization: Row<'organizations'>;
  /** The owner or admin who creates campaigns and collabs. */
  readonly membership: Row<'memberships'>;
}

type Dates = Partial<Record<'created_at' | 'updated_at', string | undefined>>;
type Member = Omit<Row<'memberships'>, keyof Dates> & Dates;

const memberRow = ({ created_at: created, updated_at, ...member }: Member, now: string): Row<'memberships'> => {
  const created_at = created ?? now;
  return { ...member, created_at, updated_at: updated_at ?? created_at };
};

type ListedRow = Readonly<Record<string, unknown>> & { readonly id?: number; readonly created_at?: string };

/** The rows of a list in an item. The schema of the file has their types. */
const rowsIn = ({ name }: StoredList, item: object): readonly ListedRow[] =>
  ((item as Readonly<Record<string, unknown>>)[name] ?? []) as readonly ListedRow[];

/** Writes the rows of a seed file by the rules of the API, and collects what they reject. */
export class SeedRows {
  readonly #places: SeedPlaces;
  /** Returns the timestamps that the file leaves out. */
  readonly #nextTimestamp = timeline(undefined, 60_000);
  readonly #tokens: Record<string, string> = {};
  /** Ids by handle. */
  readonly #users = new Map<string, string>();

  constructor(
    source: SeedSource,
    private readonly store: Writer,
    private readonly options: SeedOptions,
  ) {
    this.#places = new SeedPlaces(source, options.ids);
  }

  /** @throws {SeedError} */
  async write(file: SeedFile) {
    // A twin has the times of its source.
    if (!file.twin) this.#places.checkTimes([], file);
    const users = Object.values(file.users);
    const homes = Object.values(file.organizations ?? {});
    const campaigns = homes.flatMap(({ campaigns }) => campaigns ?? []);
    const collabs = homes.flatMap(({ collabs }) => collabs ?? []);
    const parents: { readonly [T in TableName]?: readonly object[] } = { organizations: homes, campaigns, collabs };
    this.#places.numberRows({
      access_tokens: users.flatMap(({ tokens }) => tokens ?? []),
      social_accounts: users.flatMap(({ social_accounts }) => social_accounts ?? []),
      addresses: users.flatMap(({ address }) => address ?? []),
      organizations: homes,
      memberships: homes.flatMap(({ members }) => Object.values(members ?? {})),
      campaigns,
      collabs,
      ...Object.fromEntries(
        storedLists.map((list) => [list.table, (parents[list.parent] ?? []).flatMap((item) => rowsIn(list, item))]),
      ),
    });

    for (const [handle, user] of Object.entries(file.users)) await this.#writeUser(handle, user);
    for (const [handle, organization] of Object.entries(file.organizations ?? {}))
      await this.#writeOrganization(['organizations', handle], organization);
    const nextIds = this.#places.nextIds(definedFields(file.next_ids ?? {}));
    if (this.#places.problems.length > 0) throw new SeedError(this.#places.problems);
    return { tokens: this.#tokens, nextIds, opaqueIds: this.#places.opaqueIds };
  }

  async #writeUser(handle: string, user: z.infer<typeof schema.user>): Promise<void> {
    const path = ['users', handle];
    const { id = `usr_${handle}`, email = `${handle}@example.com` } = user;
    const name = user.name ?? handle.charAt(0).toUpperCase() + handle.slice(1);
    const isNewId = this.#places.isUnique('user id', id, user.id === undefined ? path : [...path, 'id']);
    const isNewEmail = this.#places.isUnique(
      'e-mail address',
      email,
      user.email === undefined ? path : [...path, 'email'],
    );
    this.#users.set(handle, id);
    if (!isNewId || !isNewEmail) return;
    await this.store.insert('users', { id, name, email });
    for (const [index, token] of (user.tokens ?? []).entries())
      await this.#writeToken(handle, id, [...path, 'tokens', index], token);
    for (const [index, account] of (user.social_accounts ?? []).entries())
      await this.#writeSocialAccount(id, [...path, 'social_accounts', index], account);
    if (user.address) await this.#writeAddress(id, [...path, 'address'], user.address);
  }

  async #writeToken(handle: string, userId: string, path: Path, entry: z.infer<typeof schema.token>): Promise<void> {
    const { secret, permission = 'write', revoked_at = null } = entry;
    const id = this.#places.rowNumber('access_tokens', entry, path);
    if (secret !== undefined && !this.#places.isUnique('secret', secret, [...path, 'secret'])) return;
    const digest = secret === undefined ? {} : { digest: this.options.sha256(secret) };
    const context = this.#context(userId, creationOf(entry, this.#nextTimestamp), {
      access_tokens: { id, revoked_at, ...digest },
    });
    const fields = { permission, description: entry.description ?? `Token ${id}` };
    const { token } = await accessTokens.create(context, { fields, ...noExtras });
    if (revoked_at !== null) return;
    this.#tokens[freeName(this.#tokens, `${handle}_${permission}`)] = secret ?? token;
  }

  async #writeSocialAccount(userId: string, path: Path, account: z.infer<typeof schema.socialAccount>): Promise<void> {
    const { id: _id, position: _position, ...fields } = account;
    const id = this.#places.rowNumber('social_accounts', account, path);
    const context = this.#context(userId, creationOf(account, this.#nextTimestamp), {
      social_accounts: { ...definedFields(fields), id },
    });
    await this.#apply(path, () => socialAccounts.create(context, { fields, ...noExtras }, { isStored: true }));
  }

  async #writeAddress(userId: string, path: Path, address: z.infer<typeof schema.address>): Promise<void> {
    const { id: _id, position: _position, created_at: _created, updated_at, ...fields } = address;
    const id = this.#places.rowNumber('addresses', address, path);
    const context = this.#context(userId, creationOf(address, this.#nextTimestamp), {
      addresses: { ...definedFields({ updated_at }), id },
    });
    await this.#apply(path, () => addresses.update(context, { fields, ...noExtras }));
  }

  /** Its owner creates it, as in the API; its first admin if it has no owner. */
  async #writeOrganization(path: Path, entry: z.infer<typeof schema.organization>): Promise<void> {
    const before = this.#places.problems.length;
    const { updated_at, logo_key, brief_template = null } = entry;
    const created_at = creationOf(entry, this.#nextTimestamp);
    const { default_currency, default_countries, has_active_subscription } = entry;
    const id = this.#places.rowNumber('organizations', entry, path);
    const members = this.#members(id, [...path, 'members'], Object.entries(entry.members ?? {}));
    const image = await this.#image(path, 'logo', entry.logo, logo_key);
    const founder = members.find(({ is_owner }) => is_owner) ?? members.find(({ role }) => role === 'admin');
    if (!founder || this.#places.problems.length > before) return;
    const membership = memberRow(founder, created_at);
    const context = this.#context(founder.user_id, created_at, {
      organizations: {
        ...definedFields({ default_currency, default_countries, has_active_subscription, updated_at }),
        id,
        brief_template,
      },
      memberships: membership,
      images: definedFields({ id: logo_key }),
    });
    const organization = await this.#apply(path, () =>
      organizations.create(context, { ...noExtras, fields: entry, image }),
    );
    if (!organization) return;
    for (const member of members)
      if (member !== founder) await this.store.insert('memberships', memberRow(member, this.#nextTimestamp()));
    const home = { organization, membership };
    for (const [index, campaign] of (entry.campaigns ?? []).entries())
      await this.#writeCampaign(home, [...path, 'campaigns', index], campaign);
    for (const [index, collab] of (entry.collabs ?? []).entries())
      await this.#writeCollab(home, [...path, 'collabs', index], collab);
    await this.#writeLists('organizations', home, path, organization, entry);
  }

  /** The rows of the lists below an item, as the file has them: the API has no rule that writes them. */
  async #writeLists(parent: DataTableName, { organization }: Home, path: Path, { id }: AnyRow, entry: object) {
    for (const list of listsBelow(parent)) {
      const { name, singular, table, column, definition } = list;
      for (const [index, row] of rowsIn(list, entry).entries()) {
        const place = [...path, name, index];
        const created_at = creationOf(row, this.#nextTimestamp);
        const { position: _position, ...values } = row;
        const references = Object.entries(definition.references ?? {});
        const owners = references.flatMap(([of, to]) => (to === 'organizations' ? [[of, organization.id]] : []));
        const whole = {
          ...('created_at' in definition.columns && { created_at }),
          ...('updated_at' in definition.columns && { updated_at: created_at }),
          ...definedFields(values),
          ...Object.fromEntries(owners),
          ...(definition.serial === 'id' && { id: this.#places.rowNumber(table, row, place) }),
          [column]: id,
        };
        try {
          // The schema of the file has checked the columns.
          await this.store.insert(table, whole as unknown as NewRow<DataTableName>);
        } catch (error) {
          if (!(error instanceof Conflict)) throw error;
          this.#places.report(place, `Another ${singular} has the same values, which must be unique.`);
        }
      }
    }
  }

  /** Members in joining order. */
  #members(organizationId: number, path: Path, entries: [string, z.infer<typeof schema.member>][]): Member[] {
    const before = this.#places.problems.length;
    const members = entries.flatMap(([handle, { role, created_at, updated_at, ...numbered }]): Member[] => {
      const memberPath = [...path, handle];
      const userId = this.#users.get(handle);
      if (userId === undefined) {
        const near = nearest(handle, [...this.#users.keys()]);
        const hint = near === undefined ? 'Add the user under users.' : `Did you mean ${near}?`;
        this.#places.report(memberPath, `No user has the handle ${handle}. ${hint}`, 'key');
        return [];
      }
      const { id = membershipId(organizationId, userId) } = numbered;
      this.#places.isUnique('membership id', id, memberPath);
      return [
        {
          id,
          position: this.#places.number('memberships', numbered.position, memberPath, 'position'),
          organization_id: organizationId,
          user_id: userId,
          role: role === 'owner' ? 'admin' : role,
          is_owner: role === 'owner',
          created_at,
          updated_at,
        },
      ];
    });
    if (members.filter(({ is_owner }) => is_owner).length > 1)
      this.#places.report(path, 'An organization has at most one owner.');
    // A member with problems may be the admin.
    if (this.#places.problems.length === before && !members.some(({ role }) => role === 'admin'))
      this.#places.report(path, 'An organization needs an owner or an admin. Add one, as in "members: {ada: owner}".');
    return members;
  }

  async #writeCampaign(home: Home, path: Path, entry: z.infer<typeof schema.campaign>): Promise<void> {
    const fields = ownFields('campaigns', entry);
    const { status = 'draft' } = fields;
    const created_at = creationOf(fields, this.#nextTimestamp);
    const isPublished = publishedIn.campaigns[status];
    const published_at = this.#timeIn(status, path, 'published_at', entry.published_at, isPublished && created_at);
    const isPaused = status === 'paused' && (published_at ?? created_at);
    const context = this.#contextIn(home, created_at, {
      campaigns: {
        ...definedFields(fields),
        id: this.#places.rowNumber('campaigns', entry, path),
        status,
        ...this.#budget(path, entry),
        published_at,
        // A paused campaign keeps its paused_at when it is finished, so finished ones may have it.
        paused_at:
          status === 'finished'
            ? (entry.paused_at ?? null)
            : this.#timeIn(status, path, 'paused_at', entry.paused_at, isPaused),
        banner_image_key: await this.#banner(home, path, entry),
      },
    });
    const campaign = await this.#apply(path, () => campaigns.create(context, { ...noExtras, fields }));
    if (campaign) await this.#writeLists('campaigns', home, path, campaign, entry);
  }

  async #writeCollab(home: Home, path: Path, entry: z.infer<typeof schema.collab>): Promise<void> {
    const fields = ownFields('collabs', entry);
    const { state = 'draft' } = fields;
    const created_at = creationOf(fields, this.#nextTimestamp);
    const isPublished = publishedIn.collabs[state];
    const context = this.#contextIn(home, created_at, {
      collabs: {
        ...definedFields(fields),
        id: this.#places.rowNumber('collabs', entry, path),
        state,
        published_at: this.#timeIn(state, path, 'published_at', entry.published_at, isPublished && created_at),
        banner_image_key: await this.#banner(home, path, entry),
      },
    });
    const collab = await this.#apply(path, () => collabs.create(context, { ...noExtras, fields }));
    if (collab) await this.#writeLists('collabs', home, path, collab, entry);
  }

  /** Computes omitted amounts from the others. */
  #budget(path: Path, entry: z.infer<typeof schema.campaign>) {
    const { used_amount = 0, total_budget_amount = used_amount + (entry.unused_amount ?? 0) } = entry;
    const { unused_amount = total_budget_amount - used_amount } = entry;
    if (unused_amount < 0)
      this.#places.report(
        [...path, 'used_amount'],
        `Used amount must be at most the total budget amount, which is ${total_budget_amount}.`,
      );
    else if (used_amount + unused_amount !== total_budget_amount)
      this.#places.report(
        [...path, 'total_budget_amount'],
        `Total budget amount must be the sum of used amount and unused amount: ${used_amount} + ${unused_amount} is not ${total_budget_amount}.`,
      );
    return { total_budget_amount, used_amount, unused_amount };
  }

  /** @param fallback The time if there is none; false if this state has no such time. */
  #timeIn(state: string, path: Path, field: string, time: string | null | undefined, fallback: string | false) {
    if (fallback !== false && time === null)
      this.#places.report(
        [...path, field],
        `When the state is ${state}, ${field} cannot be null. Set it, or leave it out.`,
      );
    if (fallback === false && time)
      this.#places.report([...path, field], `When the state is ${state}, ${field} cannot be set. Leave it out.`);
    return fallback === false ? null : (time ?? fallback);
  }

  async #banner(
    { organization, membership }: Home,
    path: Path,
    { banner_image, banner_image_key: id }: z.infer<typeof schema.campaign> | z.infer<typeof schema.collab>,
  ): Promise<string | null> {
    const image = await this.#image(path, 'banner_image', banner_image, id);
    if (!image) return null;
    const context = this.#context(membership.user_id, organization.created_at, { images: definedFields({ id }) });
    return storeImage(context, organization.id, image);
  }

  /** The image of the field `name`. Null if there is none, or if it or its key has a problem. */
  async #image(path: Path, name: string, reference: string | null | undefined, key: string | undefined) {
    const image = reference ? await readImage(fieldLabel(name), reference, this.options.readImage) : null;
    if (typeof image === 'string') this.#places.report([...path, name], image);
    const keyPath = [...path, `${name}_key`];
    if (key !== undefined && !image)
      this.#places.report(keyPath, `${fieldLabel(`${name}_key`)} needs an image. Give ${name} too, or leave this out.`);
    const isNew = key === undefined || this.#places.isUnique('image key', key, keyPath);
    return isNew && typeof image === 'object' ? image : null;
  }

  /** Runs a rule of the API. Null if it rejects its fields, which is reported. */
  async #apply<Result>(path: Path, rule: () => Promise<Result>): Promise<Result | null> {
    try {
      return await rule();
    } catch (error) {
      if (!(error instanceof RuleError)) throw error;
      for (const [field, sentences] of Object.entries(sentencesOf(error.problems)))
        for (const sentence of sentences) this.#places.report(field === 'base' ? path : [...path, field], sentence);
      return null;
    }
  }

  #contextIn({ organization, membership }: Home, now: string, overrides: Overrides): MemberContext {
    const context = this.#context(membership.user_id, now, overrides);
    return { ...context, organizationId: organization.id, membership };
  }

  /**
   * The context for a rule that runs as `userId` at `now`. `overrides` replaces columns of what the rule inserts: this is
   * how seeds get ids, states and counts that the API does not let clients write.
   */
  #context(userId: string, now: string, overrides: Overrides): Context {
    const { store, options } = this;
    return {
      store: { ...store, insert: (table, row) => store.insert(table, { ...row, ...overrides[table] }) },
      caller: { userId, permission: 'write' },
      now,
      random: options.random,
      sha256: options.sha256,
      page: { number: '1', size: 1 },
    };
  }
}
