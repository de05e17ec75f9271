import { type FieldKinds, fieldsOfKind, hasKind, resources } from '@mkt/sdk/contract';
import { Conflict, type Dump, demoSeed, type NewRow, type Reader, type Writer } from '@mkt/server';
import {
  type AnyRow,
  type DataTableName,
  definedFields,
  definitionOf,
  type Id,
  idFrom,
  membershipId,
  type Row,
  tableNames,
  timestamp,
} from '@mkt/server/extend';
import { creationOf, parseSeed, pathText, personName, SeedError, times } from '@mkt/server/seeds';
import * as z from 'zod/mini';
import type { GivenId } from './act-inputs.js';
import { type ControlServices, createActs, findUser } from './acts.js';
import { checkedArguments } from './arguments.js';
import { ControlError, checked, oneOf, onlyFields } from './errors.js';
import {
  type Created,
  type CreatedMember,
  type CreatedUser,
  type Factories,
  factoryInputs,
  itemCount,
  timeBefore,
} from './new-items.js';
import { rejectionMessage } from './rejection.js';

type Values = Readonly<Record<string, unknown>>;
/** Creates some rows of one kind, and the secrets of their tokens by name. */
type Factory<Result = object> = (
  fields: Values,
  count: number,
) => Promise<{ readonly results: readonly Result[]; readonly tokens?: Tokens }>;
type Tokens = Readonly<Record<string, string>>;

const items = z.optional(z.array(z.unknown(), 'must be a list'));
const partialSeed = onlyFields({
  extends: oneOf(['demo', 'empty', 'large']),
  users: items,
  organizations: items,
  members: items,
  campaigns: items,
  collabs: items,
  social_accounts: items,
});
const factoryOf = {
  users: 'user',
  organizations: 'organization',
  members: 'member',
  campaigns: 'campaign',
  collabs: 'collab',
  social_accounts: 'socialAccount',
} as const satisfies Readonly<Record<string, keyof Factories>>;

/** Amounts that must fit together: if one of them is set, the other is not taken from an example. */
const related: readonly (readonly string[])[] = resources.campaigns.money.ranges.map(({ min, max }) => [min, max]);

/**
 * CPM, budget and views of a new campaign. Those that are set decide the others: used = views x CPM / 1000, within the budget.
 * @throws {ControlError} if they contradict each other
 */
function fitting(example: Values, fields: Values): Values {
  const given = (name: string) => fields[name] as number | undefined;
  const usual = (name: string) => Number(example[name] ?? 0);
  const [total, unused, views] = ['total_budget_amount', 'unused_amount', 'view_count'].map(given);
  const rest = total === undefined || unused === undefined ? undefined : Math.max(total - unused, 0);
  const spent = given('used_amount') ?? rest;
  const cpmOfBoth = views && spent !== undefined ? Math.ceil((spent * 1000) / views) : undefined;
  const cpm = given('cpm_amount') ?? cpmOfBoth ?? usual('cpm_amount');
  const cost = views === undefined ? undefined : Math.floor((views * cpm) / 1000);
  // What is not a number is reported with the other rules.
  const differs = cost !== undefined && spent !== undefined && Math.abs(cost - spent) > 0;
  if (differs && (given('cpm_amount') !== undefined || !views))
    throw new ControlError(`campaign.used_amount: ${views} views at a CPM of ${cpm} cost ${cost}, not ${spent}.`);
  const part = usual('used_amount') / (usual('total_budget_amount') || 1);
  const usualCost = total === undefined ? usual('used_amount') : Math.floor(total * part);
  const used = spent ?? cost ?? (cpm > 0 ? usualCost : 0);
  const budget = given('used_amount') ?? Math.max(usual('total_budget_amount'), used);
  return {
    cpm_amount: cpm,
    used_amount: used,
    total_budget_amount: total ?? (unused === undefined ? budget : used + unused),
    unused_amount: undefined,
    view_count: views ?? (cpm > 0 ? Math.ceil((used * 1000) / cpm) : usual('view_count')),
  };
}
/** Whether a column belongs to the row of an example, so that it is not taken. */
const isOwn = (fields: FieldKinds, name: string): boolean =>
  /^organization_id$|_key$/.test(name) ||
  (['identity', 'url', 'timestamp'] as const).some((kind) => hasKind(fields, name, kind));
const demo = demoSeed();

/** The fields of the n-th row of the demo in the same state, without amounts that may contradict `fields`. */
function exampleFields(table: 'campaigns' | 'collabs', n: number, fields: Values): Values {
  const { field, initial } = resources[table].states;
  const state = fields[field] ?? initial;
  const rows: readonly Values[] = demo.tables[table].filter((row: Values) => row[field] === state);
  const row = rows[n % rows.length] ?? {};
  const contradicting = related.filter((names) => names.some((name) => name in fields)).flat();
  const taken = Object.entries(row).filter(
    ([name, value]) =>
      value !== null &&
      !isOwn(resources[table].fields, name) &&
      !contradicting.includes(name) &&
      name !== 'unused_amount',
  );
  const fitted = table === 'campaigns' ? fitting(row, fields) : {};
  return {
    ...Object.fromEntries(taken),
    ...definedFields(fitted),
    name: `${row.name ?? resources[table].singular} ${n}`,
    [field]: state,
  };
}

/** New items like those of the demo, created at `created_at` or `over` the time before it. @param before how many there are */
function itemsOf(table: 'campaigns' | 'collabs', { views, over, ...fields }: Values, count: number, before: number) {
  if (views !== undefined && fields.view_count !== undefined)
    throw new ControlError('campaign.views is the same as view_count. Set only one of them.');
  if (over !== undefined && count < 2)
    throw new ControlError(`${resources[table].singular}.over needs a count of 2 or more.`);
  const row = { ...(views !== undefined && { view_count: views }), ...fields };
  const end = Date.parse(String(fields.created_at));
  const [, units, unit] = /^(\d+)([dh])$/.exec(String(over)) ?? [];
  const step = (Number(units) * (unit === 'd' ? 86_400_000 : 3_600_000)) / (count - 1);
  return times(count, (index) => ({
    ...exampleFields(table, before + index + 1, row),
    ...row,
    ...(step > 0 && { created_at: timestamp(end - step * (count - 1 - index)) }),
  }));
}

/** The items of a new organization. What is not an object is reported with the other rules of seed files. */
function nestedItems(table: 'campaigns' | 'collabs', list: unknown, created_at: string): unknown {
  if (!Array.isArray(list)) return list;
  let before = 0;
  return list.flatMap((item: unknown) => {
    if (typeof item !== 'object' || item === null) return [item];
    const { count = 1, ...fields } = item as Values & { count?: number };
    checked(`organization.${table}.count`, itemCount, count);
    checked(`organization.${table}.over`, timeBefore, fields.over);
    before += count;
    return itemsOf(table, { created_at: creationOf(fields, () => created_at), ...fields }, count, before - count);
  });
}

/** Reads the content of a seed file, whose rules apply here too. @throws {ControlError} that names the invalid fields */
async function rowsOf(what: string, { sha256, random }: ControlServices, seed: object) {
  try {
    const { dump, tokens } = await parseSeed({ users: { owner: null }, ...seed }, { sha256, random });
    return { tables: dump.tables, tokens };
  } catch (error) {
    if (!(error instanceof SeedError)) throw error;
    // The others are in a list of a user or an organization.
    const depth = what === 'user' || what === 'organization' ? 2 : 4;
    const reasons = error.problems.map(({ keys, message }) => `${pathText([what, ...keys.slice(depth)])}: ${message}`);
    throw new ControlError([...new Set(reasons)].join('\n'));
  }
}

/** The ids of rows by table and former id. */
type NewIds = Map<string, number | string>;

/** Inserts rows, which the store numbers. @param ids Of the rows that exist already. Gets those of the new rows. */
async function insertRows(writer: Writer, tables: Partial<Dump['tables']>, ids: NewIds): Promise<void> {
  for (const table of tableNames) {
    const { references = {}, serial } = definitionOf(table);
    for (const { ...row } of (tables[table] ?? []) as readonly AnyRow[]) {
      const key = `${table} ${row.id}`;
      for (const [column, of] of Object.entries(references))
        row[column] = ids.get(`${of} ${row[column]}`) ?? row[column];
      if (serial) delete row[serial];
      const derived =
        table === 'memberships'
          ? { id: membershipId(row.organization_id as Id<'organizations'>, String(row.user_id)) }
          : {};
      const { id } = await writer.insert(table, { ...row, ...derived } as unknown as NewRow<DataTableName>);
      ids.set(key, id);
    }
  }
}

type CreatedTable = 'organizations' | 'campaigns' | 'collabs' | 'social_accounts';
const createdIn = (tables: Dump['tables'], table: CreatedTable, ids: NewIds): Created[] =>
  tables[table].map(({ id }) => ({ id: ids.get(`${table} ${id}`) ?? id }));

/** The owner of a new organization, who otherwise is the first user of the seed. */
async function ownerOf(reader: Reader, owner: unknown): Promise<Row<'users'>> {
  if (owner !== undefined) return findUser(reader, owner as string);
  const user = (await reader.get('users', 'usr_ada')) ?? (await reader.get('users', 'usr_owner'));
  if (!user) throw new ControlError('organization.owner is missing: the id or e-mail address of a user.');
  return user;
}

/** Creates accounts of a user that exists. */
const accountsOf =
  (services: ControlServices): Factory =>
  async ({ user, ...fields }, count) => {
    const { store, now } = services;
    const { status = 'verified' } = fields;
    const { owner, name, from } = await store.read(async (reader) => {
      const owner = await findUser(reader, user as string);
      const name = `${owner.id.toLowerCase().replace(/^usr_|[^\w-]/g, '')}_`;
      let from = 1;
      while (await reader.find('social_accounts', 'byNormalizedUrl', [`tiktok.com/@${name}${from}`])) from += 1;
      return { owner, name, from };
    });
    const created_at = creationOf(fields, now);
    const like = demo.tables.social_accounts.find((account) => account.status === status);
    const numbers = fieldsOfKind(resources.socialAccounts.fields, 'counter').map((name) => [name, like?.[name]]);
    const social_accounts = times(count, (index) => ({
      platform_id: 'tiktok',
      account_url: `https://www.tiktok.com/@${name}${from + index}`,
      ...Object.fromEntries(numbers),
      ...(status !== 'pending' && { last_synced_at: created_at }),
      ...{ status, created_at, ...fields },
    }));
    const { tables } = await rowsOf('socialAccount', services, { users: { owner: { social_accounts } } });
    const ids: NewIds = new Map([['users usr_owner', owner.id]]);
    await store.transact((writer) => insertRows(writer, { social_accounts: tables.social_accounts }, ids));
    return { results: createdIn(tables, 'social_accounts', ids) };
  };

/** The functions that `create` calls, without the check of `count`. */
function factoriesOf(services: ControlServices): Readonly<Record<keyof Factories, Factory>> {
  const { store, now } = services;

  const organizationRow = async (reader: Reader, organization: unknown): Promise<Row<'organizations'>> => {
    const row = await reader.get('organizations', idFrom(String(organization), reader));
    if (!row) throw new ControlError(`Organization ${organization} does not exist.`);
    return row;
  };

  const inOrganization =
    (table: 'campaigns' | 'collabs'): Factory =>
    async ({ organization, views, ...fields }, count) => {
      const what = resources[table].singular;
      const { home, before } = await store.read(async (reader) => {
        const home = await organizationRow(reader, organization);
        return { home, before: await reader.count(table, 'byOrganization', [home.id]) };
      });
      const items = itemsOf(table, { created_at: creationOf(fields, now), views, ...fields }, count, before);
      const { name, website, brief_template, default_currency, default_countries } = home;
      const { tables } = await rowsOf(what, services, {
        organizations: {
          home: {
            ...{ name, website, brief_template, default_currency, default_countries },
            members: { owner: 'owner' },
            [table]: items,
          },
        },
      });
      const ids: NewIds = new Map(tables.organizations.map(({ id }) => [`organizations ${id}`, home.id]));
      await store.transact(async (writer) => {
        await writer.lock('organizations', home.id);
        await organizationRow(writer, home.id);
        await insertRows(writer, { [table]: tables[table], images: tables.images }, ids);
      });
      return { results: createdIn(tables, table, ids) };
    };

  const organization: Factory = async ({ owner, ...fields }, count) => {
    if ('members' in fields) throw new ControlError('organization.members: Use create.member.');
    const organizations = times(count, (index) => {
      const name = count > 1 ? `${fields.name ?? 'Organization'} ${index + 1}` : (fields.name ?? 'Organization');
      const created_at = creationOf(fields, now);
      const lists = (['campaigns', 'collabs'] as const)
        .filter((table) => table in fields)
        .map((table) => [table, nestedItems(table, fields[table], created_at)]);
      const home = { created_at, ...fields, ...Object.fromEntries(lists), name, members: { owner: 'owner' } };
      return [`home${index}`, home];
    });
    const { tables } = await rowsOf('organization', services, { organizations: Object.fromEntries(organizations) });
    const ids: NewIds = new Map();
    await store.transact(async (writer) => {
      ids.set('users usr_owner', (await ownerOf(writer, owner)).id);
      await insertRows(writer, { ...tables, users: [] }, ids);
    });
    return { results: createdIn(tables, 'organizations', ids) };
  };

  const user: Factory<CreatedUser> = async (fields, count) => {
    const from = await store.read(async (reader) => {
      let n = 1;
      while ((await reader.get('users', `usr_person_${n}`)) !== null) n += 1;
      return n;
    });
    if (count > 1 && ('id' in fields || 'email' in fields))
      throw new ControlError('user.count: Several users cannot have one id or e-mail address.');
    const users = times(count, (index) => {
      const n = from + index;
      const handle = /^usr_([a-z][\w-]{0,63})$/.exec(String(fields.id))?.[1] ?? `person_${n}`;
      return [handle, { tokens: [{ permission: 'write' }], name: personName(n), ...fields }] as const;
    });
    const { tables, tokens } = await rowsOf('user', services, { users: Object.fromEntries(users) });
    await store.transact((writer) => insertRows(writer, tables, new Map()));
    const results = users.map(([handle]) => {
      const token = tokens[`${handle}_write`] ?? tokens[`${handle}_read`] ?? null;
      return { id: typeof fields.id === 'string' ? fields.id : `usr_${handle}`, token };
    });
    return { results, tokens };
  };

  const member: Factory = async ({ organization, user: existingUser, name, email, ...fields }, count) => {
    if (count > 1 && existingUser !== undefined)
      throw new ControlError('member.count: A user can be a member only once. Leave out user.');
    const add = createActs(services).addMember;
    if (existingUser !== undefined) {
      const added = await add(organization as GivenId, { ...fields, user: existingUser as string });
      return { results: [{ ...added, token: null }] };
    }
    const { results: users, tokens = {} } = await user(definedFields({ name, email }), count);
    const results: CreatedMember[] = [];
    for (const { id, token } of users)
      results.push({ ...(await add(organization as GivenId, { ...fields, user: id })), token });
    return { results, tokens };
  };

  const ofOrganization = { campaign: inOrganization('campaigns'), collab: inOrganization('collabs'), organization };
  return { ...ofOrganization, member, user, socialAccount: accountsOf(services) };
}

/** The factories, whose code is loaded on demand. */
export function createFactories(services: ControlServices) {
  const factories = factoriesOf(services);
  const create = async (name: keyof Factories, item: unknown) => {
    const [{ count, ...fields }] = checkedArguments(factoryInputs[name], [item]) as [Values & { count?: number }];
    if (name !== 'user' && ('id' in fields || 'position' in fields))
      throw new ControlError(`${name}.id: The marketplace chooses it. Leave it out.`);
    try {
      return { ...(await factories[name](fields, count ?? 1)), isList: count !== undefined };
    } catch (error) {
      throw error instanceof Conflict ? new ControlError(rejectionMessage(error) ?? '') : error;
    }
  };
  return {
    /** @throws {ControlError} that names the invalid field */
    create: async (name: keyof Factories, item: unknown) => {
      const { results, isList } = await create(name, item);
      return isList ? results : results[0];
    },
    /** Applies a partial seed. Returns the secrets of the new tokens. */
    async extend(seed: unknown): Promise<Tokens> {
      const lists = checked('seed', partialSeed, seed);
      const tokens: Record<string, string> = {};
      for (const [table, name] of Object.entries(factoryOf) as [keyof typeof factoryOf, keyof Factories][])
        for (const item of lists[table] ?? []) Object.assign(tokens, (await create(name, item)).tokens);
      return tokens;
    },
  };
}
