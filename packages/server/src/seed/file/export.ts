import { Document, isScalar, visit } from 'yaml';
import { membershipId } from '../../rules/membership-id.js';
import type { Dump } from '../../store/store.js';
import { definitionOf, type Row, type TableName, tableNames } from '../../store/tables.js';

type Values = Readonly<Record<string, unknown>>;
type Dated = { readonly created_at: string; readonly updated_at: string };

const comment = [
  ' A seed of the marketplace: everything that a store held.',
  ' Access tokens are left out, because only their digests are kept. To let people in, give them tokens:',
  '   users:',
  '     ada:',
  '       tokens: [{secret: mkt_choose_a_secret, permission: write}]',
].join('\n');

/**
 * Writes a store's rows as a seed, in YAML. Read again it gives the same rows, but for access tokens: their secrets are
 * not known.
 */
export function exportSeed(dump: Dump): string {
  const userHandles = handlesOf(dump.tables.users.map(({ id }) => [id, id.replace(/^usr_/, '')]));
  const organizationHandles = handlesOf(dump.tables.organizations.map(({ id, name }) => [id, name]));
  let lastPosition = 0;
  const memberValue = (member: Row<'memberships'>): Values => {
    const { id, position, organization_id, user_id, role, is_owner } = member;
    const follows = position === lastPosition + 1;
    lastPosition = position;
    return {
      role: is_owner ? 'owner' : role,
      ...(id === membershipId(organization_id, user_id) ? {} : { id }),
      // Left out where counting comes to it anyway.
      ...(follows ? {} : { position }),
      ...datesOf(member),
    };
  };
  const values = {
    users: keyed(dump.tables.users, userHandles, (user, handle) => userValue(dump, user, handle)),
    organizations: keyed(sorted(dump.tables.organizations), organizationHandles, (organization) => ({
      ...valuesOf('organizations', organization),
      ...imageOf(dump, 'logo', organization.logo_key),
      members: Object.fromEntries(
        dump.tables.memberships
          .filter((member) => member.organization_id === organization.id)
          .sort((left, right) => left.position - right.position)
          .map((member) => [userHandles.get(member.user_id), memberValue(member)]),
      ),
      ...programsOf(dump, 'campaigns', organization.id),
      ...programsOf(dump, 'collabs', organization.id),
    })),
    ...nextIdsOf(dump),
  };
  // Rows may share a list of countries: that is no reason for an alias.
  const document = new Document(values, { aliasDuplicateObjects: false });
  document.commentBefore = comment;
  visit(document, {
    Seq: (_, node) => {
      node.flow = node.items.every((item) => isScalar(item));
    },
  });
  return document.toString({ lineWidth: 0 });
}

const sorted = <R extends { readonly id: number }>(rows: readonly R[]): R[] =>
  [...rows].sort((left, right) => left.id - right.id);

const keyed = <R extends { readonly id: string | number }>(
  rows: readonly R[],
  handles: ReadonlyMap<string | number, string>,
  toValues: (row: R, handle: string) => Values,
): Values =>
  Object.fromEntries(
    rows.map((row) => {
      const handle = handles.get(row.id) ?? '';
      return [handle, toValues(row, handle)];
    }),
  );

const userValue = (dump: Dump, user: Row<'users'>, handle: string): Values => {
  const own = <R extends { readonly user_id: string }>(rows: readonly R[]) =>
    rows.filter((row) => row.user_id === user.id);
  const accounts = sorted(own(dump.tables.social_accounts));
  const [address] = own(dump.tables.addresses);
  return {
    ...(user.id === `usr_${handle}` ? {} : { id: user.id }),
    name: user.name,
    email: user.email,
    ...(accounts.length > 0
      ? { social_accounts: accounts.map((account) => valuesOf('social_accounts', account)) }
      : {}),
    ...(address ? { address: valuesOf('addresses', address) } : {}),
  };
};

const programsOf = (dump: Dump, table: 'campaigns' | 'collabs', organizationId: number): Values => {
  const rows: readonly (Row<'campaigns'> | Row<'collabs'>)[] = dump.tables[table];
  const own = sorted(rows.filter((row) => row.organization_id === organizationId));
  if (own.length === 0) return {};
  return {
    [table]: own.map((row) => ({ ...valuesOf(table, row), ...imageOf(dump, 'banner_image', row.banner_image_key) })),
  };
};

/** Told by the place in the file, by another column, or by the image. */
const untold = new Set(['organization_id', 'user_id', 'normalized_url', 'logo_key', 'banner_image_key']);
/** None differs from nothing said: for these the organization has a default. */
const defaulted = new Set(['website', 'brief']);

const valuesOf = <T extends TableName>(table: T, row: Row<T> & Dated): Values => {
  const { created_at: _created, updated_at: _updated, ...columns } = definitionOf(table).columns;
  const told = Object.keys(columns)
    .filter((name) => !untold.has(name))
    .map((name) => [name, (row as Values)[name]] as const)
    .filter(([name, value]) => value !== null || defaulted.has(name));
  return { ...Object.fromEntries(told), ...datesOf(row) };
};

const datesOf = ({ created_at, updated_at }: Dated): Values =>
  updated_at === created_at ? { created_at } : { created_at, updated_at };

const imageOf = (dump: Dump, name: 'logo' | 'banner_image', key: string | null): Values => {
  const image = dump.tables.images.find(({ id }) => id === key);
  return image ? { [name]: dataUrl(image), [`${name}_key`]: image.id } : {};
};

const dataUrl = ({ type, bytes }: Row<'images'>): string => {
  const parts: string[] = [];
  // In parts, because a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 8192) parts.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  return `data:${type};base64,${btoa(parts.join(''))}`;
};

/** Where the next number of a table is not the one after its largest: rows are gone, or left out. */
const nextIdsOf = (dump: Dump): Values => {
  const jumps = tableNames.flatMap((table) => {
    const { serial } = definitionOf(table);
    const rows: readonly object[] = table === 'access_tokens' ? [] : dump.tables[table];
    const numbers = rows.map((row) => Number((row as Values)[serial ?? 'id']));
    const largest = numbers.reduce((most, number) => Math.max(most, number), 0);
    const next = dump.serials[table] ?? 1;
    return serial && next > largest + 1 ? [[table, next]] : [];
  });
  return jumps.length > 0 ? { next_ids: Object.fromEntries(jumps) } : {};
};

/** A handle for each name: its letters and digits, and a number where two names have the same. */
function handlesOf(names: readonly (readonly [id: string | number, name: string])[]): Map<string | number, string> {
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
