/**
 * The tables as data: row types, the memory store's indexes, the SQL schema and its statements all follow from here.
 * A column type that ends in `?` may be null.
 */
interface ColumnTypes {
  integer: number;
  text: string;
  /** ISO 8601, UTC, seconds (D11): the same string on every store. */
  timestamp: string;
  boolean: boolean;
  /** A list of strings. */
  strings: readonly string[];
  bytes: Uint8Array;
}
export type ColumnType = keyof ColumnTypes | `${keyof ColumnTypes}?`;
type ValueOf<Type extends ColumnType> = Type extends `${infer Base extends keyof ColumnTypes}?`
  ? ColumnTypes[Base] | null
  : Type extends keyof ColumnTypes
    ? ColumnTypes[Type]
    : never;

export interface IndexDefinition {
  /** The columns that a look-up names, in order. */
  readonly columns: readonly string[];
  /** At most one row for a key: a unique index on every store, not a look-up alone. */
  readonly unique?: boolean;
  /** The order of the rows of one key: ascending by these columns. */
  readonly order?: readonly string[];
  /** Rows in which this column has this value stand outside the index. */
  readonly except?: { readonly column: string; readonly value: string };
  /** Only rows in which this column is null stand in the index. */
  readonly whereNull?: string;
  /** The number of rows of each key is kept up to date, because counting a million rows is too slow for a page. */
  readonly counted?: boolean;
}

export interface TableDefinition {
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** The integer column that counts the rows in order of creation, never using a number twice. */
  readonly serial?: string;
  /** Columns too wide for lists: `page` leaves them out. */
  readonly wide?: readonly string[];
  readonly references?: Readonly<Record<string, string>>;
  readonly indexes: Readonly<Record<string, IndexDefinition>>;
}

const tables = {
  users: {
    columns: { id: 'text', name: 'text', email: 'text' },
    indexes: { byEmail: { columns: ['email'], unique: true } },
  },
  access_tokens: {
    columns: {
      id: 'integer',
      user_id: 'text',
      digest: 'text',
      description: 'text',
      permission: 'text',
      created_at: 'timestamp',
      revoked_at: 'timestamp?',
    },
    serial: 'id',
    references: { user_id: 'users' },
    indexes: {
      byDigest: { columns: ['digest'], unique: true },
      byUser: { columns: ['user_id'], order: ['id'], whereNull: 'revoked_at' },
    },
  },
  organizations: {
    columns: {
      id: 'integer',
      name: 'text',
      privacy_setting: 'text',
      website: 'text?',
      logo_key: 'text?',
      default_currency: 'text',
      default_countries: 'strings',
      brief_template: 'text?',
      has_active_subscription: 'boolean',
      created_at: 'timestamp',
      updated_at: 'timestamp',
    },
    serial: 'id',
    wide: ['brief_template'],
    indexes: {},
  },
  memberships: {
    columns: {
      id: 'text',
      position: 'integer',
      organization_id: 'integer',
      user_id: 'text',
      role: 'text',
      is_owner: 'boolean',
      created_at: 'timestamp',
      updated_at: 'timestamp',
    },
    serial: 'position',
    references: { organization_id: 'organizations', user_id: 'users' },
    indexes: {
      byOrganizationAndUser: { columns: ['organization_id', 'user_id'], unique: true },
      /** Admins first, then by joining order (D4): `admin` sorts before `member`. */
      byOrganization: { columns: ['organization_id'], order: ['role', 'position'] },
      byOrganizationAndRole: { columns: ['organization_id', 'role'], order: ['position'] },
      byUser: { columns: ['user_id'], order: ['organization_id'] },
    },
  },
  campaigns: {
    columns: {
      id: 'integer',
      organization_id: 'integer',
      name: 'text',
      status: 'text',
      currency: 'text',
      countries: 'strings',
      website: 'text?',
      content_type: 'text',
      category: 'text',
      platform_ids: 'strings',
      tiktok_music_id: 'text?',
      cpm_amount: 'integer',
      min_payout_amount: 'integer',
      max_payout_amount: 'integer',
      base_reward_amount: 'integer',
      total_budget_amount: 'integer',
      used_amount: 'integer',
      unused_amount: 'integer',
      view_count: 'integer',
      submissions_count: 'integer',
      published_at: 'timestamp?',
      paused_at: 'timestamp?',
      banner_image_key: 'text?',
      brief: 'text?',
      created_at: 'timestamp',
      updated_at: 'timestamp',
    },
    serial: 'id',
    wide: ['brief'],
    references: { organization_id: 'organizations' },
    indexes: {
      byOrganization: { columns: ['organization_id'], order: ['id'], counted: true },
      /** What a member sees (D24). */
      byOrganizationWithoutDrafts: {
        columns: ['organization_id'],
        order: ['id'],
        except: { column: 'status', value: 'draft' },
        counted: true,
      },
    },
  },
  collabs: {
    columns: {
      id: 'integer',
      organization_id: 'integer',
      name: 'text',
      state: 'text',
      currency: 'text',
      countries: 'strings',
      website: 'text?',
      require_spark_ads: 'boolean',
      requires_product_shipment: 'boolean',
      submissions_count: 'integer',
      approved_submissions_count: 'integer',
      completed_count: 'integer',
      published_at: 'timestamp?',
      banner_image_key: 'text?',
      brief: 'text?',
      created_at: 'timestamp',
      updated_at: 'timestamp',
    },
    serial: 'id',
    wide: ['brief'],
    references: { organization_id: 'organizations' },
    indexes: {
      byOrganization: { columns: ['organization_id'], order: ['id'], counted: true },
      byOrganizationWithoutDrafts: {
        columns: ['organization_id'],
        order: ['id'],
        except: { column: 'state', value: 'draft' },
        counted: true,
      },
    },
  },
  social_accounts: {
    columns: {
      id: 'integer',
      user_id: 'text',
      platform_id: 'text',
      account_url: 'text',
      /** `account_url` without what makes no difference (D45). */
      normalized_url: 'text',
      uid: 'text',
      status: 'text',
      subscriber_count: 'integer?',
      view_count: 'integer?',
      video_count: 'integer?',
      likes_count: 'integer?',
      engagement_rate: 'text?',
      last_synced_at: 'timestamp?',
      created_at: 'timestamp',
      updated_at: 'timestamp',
    },
    serial: 'id',
    references: { user_id: 'users' },
    indexes: {
      byNormalizedUrl: { columns: ['normalized_url'], unique: true },
      byUser: { columns: ['user_id'], order: ['id'] },
    },
  },
  addresses: {
    columns: {
      id: 'integer',
      user_id: 'text',
      address_one: 'text',
      address_two: 'text?',
      city: 'text',
      state: 'text',
      postal_code: 'text',
      country_code: 'text',
      latitude: 'text?',
      longitude: 'text?',
      google_place_id: 'text?',
      created_at: 'timestamp',
      updated_at: 'timestamp',
    },
    serial: 'id',
    references: { user_id: 'users' },
    indexes: { byUser: { columns: ['user_id'], unique: true } },
  },
  /** Uploaded and downloaded pictures, in the store so that several servers see them. `id` is the unguessable key. */
  images: {
    columns: { id: 'text', organization_id: 'integer', type: 'text', bytes: 'bytes' },
    wide: ['bytes'],
    references: { organization_id: 'organizations' },
    indexes: { byOrganization: { columns: ['organization_id'], order: ['id'] } },
  },
  /** Browser sessions that were signed out before their cookie expires. `id` is the session's. */
  ended_sessions: {
    columns: { id: 'text', expires_at: 'timestamp' },
    indexes: { byExpiry: { columns: [], order: ['expires_at'] } },
  },
  /** Organizations that are deleted, and whose rows are still being removed. `id` is the organization's. */
  deleted_organizations: {
    columns: { id: 'integer' },
    references: { id: 'organizations' },
    indexes: { all: { columns: [], order: ['id'] } },
  },
} as const satisfies Readonly<Record<string, TableDefinition>>;

type Tables = typeof tables;
export type TableName = keyof Tables;

/**
 * What dumps do not hold. Restoring data must not bring an ended session back: loading a dump keeps them. It clears the
 * deleted organizations, because all of their rows are gone then.
 */
const internalTables = ['ended_sessions', 'deleted_organizations'] as const;
export type DataTableName = Exclude<TableName, (typeof internalTables)[number]>;
/** The tables of the marketplace itself: what dumps, seeds and snapshots hold. */
export const tableNames = Object.keys(tables).filter(
  (name) => !(internalTables as readonly string[]).includes(name),
) as DataTableName[];
/** Every table of the schema. */
export const allTableNames = Object.keys(tables) as TableName[];

export type Row<T extends TableName> = {
  -readonly [C in keyof Tables[T]['columns']]: Tables[T]['columns'][C] extends ColumnType
    ? ValueOf<Tables[T]['columns'][C]>
    : never;
};
export type Id<T extends TableName> = Row<T> extends { id: infer I } ? I : never;

/** A row without its table's type: what code for all tables works on. */
export type AnyRow = Record<string, unknown> & { id: string | number };

type WideColumn<T extends TableName> = Tables[T] extends { wide: readonly (infer C)[] } ? C : never;
/** A row as lists have it: without the wide columns. */
export type ListRow<T extends TableName> = Omit<Row<T>, WideColumn<T> & string>;

export type IndexName<T extends TableName> = keyof Tables[T]['indexes'] & string;
export type UniqueIndexName<T extends TableName> = {
  [I in IndexName<T>]: Tables[T]['indexes'][I] extends { unique: true } ? I : never;
}[IndexName<T>];
export type ListIndexName<T extends TableName> = Exclude<IndexName<T>, UniqueIndexName<T>>;

type SerialColumn<T extends TableName> = Tables[T] extends { serial: infer C extends string } ? C : never;
type NullableColumn<T extends TableName> = {
  [C in keyof Row<T>]: null extends Row<T>[C] ? C : never;
}[keyof Row<T>];
/**
 * A row to be stored: its serial number is given by the store unless it is named, and what may be null is null unless it
 * is given.
 */
export type NewRow<T extends TableName> = Omit<Row<T>, SerialColumn<T> | NullableColumn<T>> &
  Partial<Pick<Row<T>, (SerialColumn<T> & keyof Row<T>) | NullableColumn<T>>>;

/** The definition without its literal types, for code that treats all tables alike. */
export const definitionOf = (table: TableName): TableDefinition => tables[table];

const nulls = Object.fromEntries(
  allTableNames.map((table) => [
    table,
    Object.fromEntries(
      Object.entries(definitionOf(table).columns)
        .filter(([, type]) => type.endsWith('?'))
        .map(([column]) => [column, null]),
    ),
  ]),
);

/** The row with null in every column that may be null and is not given. */
export const withNulls = <T extends TableName, New extends NewRow<T>>(table: T, row: New) =>
  ({ ...nulls[table], ...row }) as New & Pick<Row<T>, NullableColumn<T>>;

/** The tables that number their rows. */
export const serialTables: readonly DataTableName[] = tableNames.filter((table) => definitionOf(table).serial);
