import { type ResourceDescription, resources } from '@mkt/sdk/contract';
import { Document, isScalar, visit } from 'yaml';
import { membershipId } from '../../rules/policy.js';
import { toBase64 } from '../../store/json-rows.js';
import type { Dump } from '../../store/store.js';
import {
  type AnyRow,
  type DataTableName,
  definitionOf,
  type Id,
  type IdFormat,
  type Row,
  type TableName,
  tableNames,
} from '../../store/tables.js';
import { listsBelow, storedLists } from './lists.js';

type Values = Readonly<Record<string, unknown>>;
type Dates = { readonly created_at: string; readonly updated_at: string };

const comment = [
  ' A seed of the marketplace: everything that a store contained.',
  ' Access tokens are left out, because only their digests are stored. To let people sign in, add tokens:',
  '   users:',
  '     ada:',
  '       tokens: [{secret: mkt_choose_a_secret, permission: write}]',
].join('\n');

/** Writes the rows of a store as a seed file in YAML. Reading it gives the same rows, without access tokens. */
export function exportSeed({ tables, serials }: Dump, ids: IdFormat = 'integer'): string {
  const userHandles = handlesOf(tables.users.map(({ id }) => [id, id.replace(/^usr_/, '')]));
  const organizationHandles = handlesOf(tables.organizations.map(({ id, name }) => [id, name]));
  const lastNumbers = new Map<TableName, number>();
  /** The position of a row in its table, unless it is the next one anyway. */
  const positionOf = (table: TableName, row: object): Values => {
    const position = numberOf(row);
    const isNext = position === (lastNumbers.get(table) ?? 0) + 1;
    lastNumbers.set(table, position);
    return isNext ? {} : { position };
  };
  const valuesOf = <T extends TableName>(table: T, row: Row<T> & Dates): Values => ({
    ...columnsOf(table, row),
    ...(ids === 'opaque' && positionOf(table, row)),
  });

  const memberEntry = (member: Row<'memberships'>) => {
    const { id, organization_id, user_id, role, is_owner, ...dates } = member;
    const values = {
      role: is_owner ? 'owner' : role,
      ...(id !== membershipId(organization_id, user_id) && { id }),
      ...positionOf('memberships', member),
      ...datesOf(dates),
    };
    return [userHandles.get(user_id), values] as const;
  };
  const imageOf = (field: string, key: string | null): Values => {
    const image = tables.images.find(({ id }) => id === key);
    return image ? { [field]: `data:${image.type};base64,${toBase64(image.bytes)}`, [`${field}_key`]: image.id } : {};
  };
  const nestedRows = new Map(
    storedLists.map(({ table, column }) => {
      const byParent = new Map<unknown, AnyRow[]>();
      for (const row of [...(tables[table] as readonly AnyRow[])].sort(byNumber))
        byParent.set(row[column], [...(byParent.get(row[column]) ?? []), row]);
      return [table, byParent] as const;
    }),
  );
  const nestedLists = (parent: DataTableName, { id }: AnyRow): Values =>
    Object.fromEntries(
      listsBelow(parent).flatMap(({ name, table, fields, definition }) => {
        const rows = nestedRows.get(table)?.get(id) ?? [];
        const values = rows.map((row) => ({
          ...Object.fromEntries(fields.flatMap((field) => (row[field] === null ? [] : [[field, row[field]]]))),
          ...(ids === 'opaque' && definition.serial && positionOf(table, row)),
        }));
        return values.length > 0 ? [[name, values]] : [];
      }),
    );
  const listOf = (table: 'campaigns' | 'collabs', organizationId: Id<'organizations'>): Values => {
    const rows = [...tables[table]].filter((row) => row.organization_id === organizationId).sort(byNumber);
    const values = rows.map((row) => ({
      ...valuesOf(table, row),
      ...imageOf('banner_image', row.banner_image_key),
      ...nestedLists(table, row),
    }));
    return values.length > 0 ? { [table]: values } : {};
  };

  const users = tables.users.map(({ id, name, email }) => {
    const handle = userHandles.get(id);
    const accounts = tables.social_accounts.filter(({ user_id }) => user_id === id).sort(byNumber);
    const address = tables.addresses.find(({ user_id }) => user_id === id);
    const values = {
      ...(id !== `usr_${handle}` && { id }),
      name,
      email,
      ...(accounts.length > 0 && { social_accounts: accounts.map((account) => valuesOf('social_accounts', account)) }),
      ...(address && { address: valuesOf('addresses', address) }),
    };
    return [handle, values] as const;
  });
  const organizations = [...tables.organizations].sort(byNumber).map((organization) => {
    const { id, logo_key } = organization;
    const members = tables.memberships.filter(({ organization_id }) => organization_id === id);
    const values = {
      ...valuesOf('organizations', organization),
      ...imageOf('logo', logo_key),
      members: Object.fromEntries(members.sort(byNumber).map(memberEntry)),
      ...listOf('campaigns', id),
      ...listOf('collabs', id),
      ...nestedLists('organizations', organization),
    };
    return [organizationHandles.get(id), values] as const;
  });
  const nextIds = nextIdsOf({ tables, serials });
  return yamlOf({
    users: Object.fromEntries(users),
    organizations: Object.fromEntries(organizations),
    ...(nextIds.length > 0 && { next_ids: Object.fromEntries(nextIds) }),
  });
}

function yamlOf(content: Values): string {
  // Rows may share a list of countries: the file repeats it.
  const document = new Document(content, { aliasDuplicateObjects: false });
  document.commentBefore = comment;
  visit(document, {
    // A store with a twin has the times of its source, which may have fractions of a second.
    Pair: (_, { key, value }) => {
      if (isScalar(key) && isScalar(value) && /_at$/.test(`${key.value}`))
        value.value = `${value.value}`.replace(/\.\d+Z$/, 'Z');
    },
    Seq: (_, node) => {
      node.flow = node.items.every((item) => isScalar(item));
    },
  });
  return document.toString({ lineWidth: 0 });
}

const numberOf = (row: object): number => {
  const { position, id } = row as Values;
  return Number(position ?? id);
};
const byNumber = (left: object, right: object): number => numberOf(left) - numberOf(right);

/** Columns that follow from the place in the file, from another column or from an image. */
const derived = new Set(['organization_id', 'user_id', 'normalized_url', 'logo_key', 'banner_image_key']);

const columnsOf = <T extends TableName>(table: T, row: Row<T> & Dates): Values => {
  // Null is written where the organization has a default.
  const { inherited = {} }: Partial<ResourceDescription> = table in resources ? resources[table as 'campaigns'] : {};
  const { created_at: _created, updated_at: _updated, ...columns } = definitionOf(table).columns;
  const values = Object.keys(columns)
    .filter((name) => !derived.has(name))
    // Earlier versions stored a brief without allowed content as empty text.
    .map(
      (name) =>
        [name, (row as Values)[name] === '' && columns[name] === 'text?' ? null : (row as Values)[name]] as const,
    )
    .filter(([name, value]) => value !== null || name in inherited);
  return { ...Object.fromEntries(values), ...datesOf(row) };
};

const datesOf = ({ created_at, updated_at }: Dates): Values =>
  updated_at === created_at ? { created_at } : { created_at, updated_at };

/** Tables whose next number is not the one after the largest, because rows were deleted or are left out. */
const nextIdsOf = ({ tables, serials }: Dump): [TableName, number][] =>
  tableNames.flatMap((table): [TableName, number][] => {
    const { serial } = definitionOf(table);
    const rows: readonly object[] = table === 'access_tokens' ? [] : tables[table];
    const largest = rows.reduce<number>((most, row) => Math.max(most, numberOf(row)), 0);
    const next = serials[table] ?? 1;
    return serial && next > largest + 1 ? [[table, next]] : [];
  });

/** A handle for each name: its letters and digits, and a number where two names have the same ones. */
function handlesOf<Id>(names: readonly (readonly [id: Id, name: string])[]): Map<Id, string> {
  const taken = new Set<string>();
  return new Map(
    names.map(([id, name]) => {
      const plain = name
        .normalize('NFKD')
        .replace(/\p{Mark}/gu, '')
        .toLowerCase()
        .replace(/[^a-z0-9_]+/g, '-')
        .replace(/^[^a-z]+|-+$/g, '')
        .slice(0, 40);
      const base = plain === '' ? 'x' : plain;
      let handle = base;
      for (let count = 2; taken.has(handle); count += 1) handle = `${base}-${count}`;
      taken.add(handle);
      return [id, handle];
    }),
  );
}
