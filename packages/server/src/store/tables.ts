import type { computedFields } from '@mkt/sdk/contract';
import {
  type ColumnType,
  type ComputedColumn,
  type IndexDefinition,
  notComputed,
  orderOf,
  positive,
  type TableDefinition,
  type ValueOf,
} from './table-definition.js';

/**
 * What clients see as the id of a resource: the number of its row, as in the API document, or a short random text, as the
 * service returns today. A store has one format from its creation.
 */
export type IdFormat = 'integer' | 'opaque';

/** The thresholds of `used_percent` that totals distinguish, highest first. */
export const usedThresholds = [100, 80, 0, notComputed] as const;

/** The computed fields that lists of campaigns are sorted or filtered by. */
const computedColumns = {
  used_percent: { order: 'byPercent', thresholds: usedThresholds },
  effective_cpm: { order: 'byCost' },
} as const satisfies { readonly [Field in keyof (typeof computedFields)['campaigns']]?: ComputedColumn };

const active = { column: 'status', is: '=', value: 'active' } as const;
const published = orderOf(['published_at'], { column: 'published_at', is: 'is not null' });
const ofOrganization = { columns: ['organization_id'], order: ['id'], counted: true } as const;
/** In lists that are too long to be sorted, people search for a name. */
const byName: IndexDefinition = { ...orderOf(['name']), unindexed: true };

/**
 * The tables as data: row types, the memory store's indexes, the SQL schema and its statements all follow from here.
 */
const tables = {
  users: {
    columns: { id: 'text', name: 'text', email: 'text' },
    indexes: { byEmail: { columns: ['email'], unique: true } },
  },
  access_tokens: {
    columns: {
      id: 'id',
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
      byUser: { columns: ['user_id'], order: ['id'], only: [{ column: 'revoked_at', is: 'is null' }] },
    },
  },
  organizations: {
    columns: {
      id: 'id',
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
    omittedFromLists: ['brief_template'],
    indexes: {},
  },
  memberships: {
    columns: {
      id: 'text',
      position: 'integer',
      organization_id: 'id',
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
      /** Admins first, then by joining order: `admin` sorts before `member`. */
      byOrganization: { columns: ['organization_id'], order: ['role', 'position'] },
      byOrganizationAndRole: { columns: ['organization_id', 'role'], order: ['position'] },
      byUser: { columns: ['user_id'], order: ['organization_id'] },
    },
  },
  campaigns: {
    columns: {
      id: 'id',
      organization_id: 'id',
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
      total_budget_amount: 'counter',
      used_amount: 'counter',
      unused_amount: 'counter',
      view_count: 'counter',
      submissions_count: 'counter',
      published_at: 'timestamp?',
      paused_at: 'timestamp?',
      banner_image_key: 'text?',
      brief: 'text?',
      created_at: 'timestamp',
      updated_at: 'timestamp',
    },
    serial: 'id',
    omittedFromLists: ['brief'],
    references: { organization_id: 'organizations' },
    searched: 'name',
    computed: computedColumns,
    totals: {
      by: ['status', 'currency', 'used_percent'],
      sums: ['total_budget_amount', 'used_amount', 'unused_amount', 'view_count', 'submissions_count'],
    },
    orders: {
      byName,
      /** Also finds the campaigns with a currency. */
      byBudget: orderOf(['currency', 'total_budget_amount']),
      byUsed: orderOf(['currency', 'used_amount'], positive('used_amount')),
      byPercent: orderOf(['used_percent'], positive('used_percent', 0.1)),
      byViews: orderOf(['view_count'], positive('view_count')),
      bySubmissions: orderOf(['submissions_count'], positive('submissions_count')),
      byPublication: published,
      byCost: orderOf(['currency', 'effective_cpm'], positive('view_count')),
      /** What needs attention in the overview, among a million campaigns that ended. */
      nearlySpent: orderOf(['used_percent'], active, { column: 'used_percent', is: '>=', value: 80 }),
      withoutBudget: orderOf([], active, { column: 'used_percent', is: '=', value: notComputed }),
    },
    indexes: {
      byOrganization: ofOrganization,
      /** What a member sees. */
      byOrganizationWithoutDrafts: { ...ofOrganization, only: [{ column: 'status', is: '<>', value: 'draft' }] },
      /** The filter of the web pages, and the totals per status. */
      byOrganizationAndStatus: { ...ofOrganization, columns: ['organization_id', 'status'] },
    },
  },
  collabs: {
    columns: {
      id: 'id',
      organization_id: 'id',
      name: 'text',
      state: 'text',
      currency: 'text',
      countries: 'strings',
      website: 'text?',
      require_spark_ads: 'boolean',
      requires_product_shipment: 'boolean',
      submissions_count: 'counter',
      approved_submissions_count: 'counter',
      completed_count: 'counter',
      published_at: 'timestamp?',
      banner_image_key: 'text?',
      brief: 'text?',
      created_at: 'timestamp',
      updated_at: 'timestamp',
    },
    serial: 'id',
    omittedFromLists: ['brief'],
    references: { organization_id: 'organizations' },
    searched: 'name',
    totals: { by: ['state', 'currency'], sums: ['submissions_count', 'completed_count'] },
    orders: {
      byName,
      bySubmissions: orderOf(['submissions_count'], positive('submissions_count')),
      byCompleted: orderOf(['completed_count'], positive('completed_count')),
      byPublication: published,
    },
    indexes: {
      byOrganization: ofOrganization,
      byOrganizationWithoutDrafts: { ...ofOrganization, only: [{ column: 'state', is: '<>', value: 'draft' }] },
      /** The filter of the web pages, and the totals per state. */
      byOrganizationAndState: { ...ofOrganization, columns: ['organization_id', 'state'] },
    },
  },
  social_accounts: {
    columns: {
      id: 'id',
      user_id: 'text',
      platform_id: 'text',
      account_url: 'text',
      /** `account_url` without insignificant parts. */
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
      id: 'id',
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
  /** Uploaded and downloaded images, in the store so that several servers see them. `id` is the unguessable key. */
  images: {
    columns: { id: 'text', organization_id: 'id', type: 'text', bytes: 'bytes' },
    omittedFromLists: ['bytes'],
    references: { organization_id: 'organizations' },
    indexes: { byOrganization: { columns: ['organization_id'], order: ['id'] } },
  },
  /** Browser sessions that were signed out before their cookie expired. They must stay ended after any load. */
  ended_sessions: {
    columns: { id: 'text', expires_at: 'timestamp' },
    survivesLoad: true,
    indexes: { byExpiry: { columns: [], order: ['expires_at'] } },
  },
  /** Forms that were processed. `result` is where the browser goes afterwards, encrypted. */
  processed_forms: {
    columns: { id: 'text', expires_at: 'timestamp', result: 'text?' },
    omittedFromLists: ['result'],
    indexes: { byExpiry: { columns: [], order: ['expires_at', 'id'] } },
  },
  /** Images of forms that may be sent again. `id` is the unguessable key. */
  kept_images: {
    columns: {
      id: 'text',
      position: 'integer',
      user_id: 'text',
      name: 'text',
      type: 'text',
      size: 'integer',
      expires_at: 'timestamp',
      bytes: 'bytes',
    },
    serial: 'position',
    omittedFromLists: ['bytes'],
    indexes: { byExpiry: { columns: [], order: ['expires_at', 'position'] } },
  },
  /** Deleted organizations whose rows are still being removed. Dumps contain none of these rows. */
  deleted_organizations: {
    columns: { id: 'id' },
    references: { id: 'organizations' },
    indexes: { all: { columns: [], order: ['id'] } },
  },
} as const satisfies Readonly<Record<string, TableDefinition>>;

type Tables = typeof tables;
export type TableName = keyof Tables;

export const byTable = <T extends TableName, Value>(names: readonly T[], of: (table: T) => Value) =>
  Object.fromEntries(names.map((name) => [name, of(name)])) as Record<T, Value>;

export type DataTableName = Exclude<TableName, 'deleted_organizations' | 'processed_forms' | 'kept_images'>;
export const allTableNames = Object.keys(tables) as TableName[];
/** The tables in dumps, backups and snapshots. */
export const tableNames = allTableNames.filter((name) => !/^(deleted|processed|kept)_/.test(name)) as DataTableName[];

/** The columns of the table that hold ids of numbered resources, each with the table of those ids. */
export const idColumnsOf = (table: TableName): readonly (readonly [column: string, of: string])[] => {
  const { columns, references = {} }: TableDefinition = tables[table];
  return Object.entries(columns).flatMap(([column, type]) =>
    type === 'id' ? [[column, references[column] ?? table] as const] : [],
  );
};

const referencesOf = (table: TableName): readonly (readonly [column: string, of: string])[] => {
  const { references = {} }: TableDefinition = tables[table];
  return Object.entries(references);
};

/** Tables with rows of an organization, which are found by it and deleted with it. */
export const organizationTables = tableNames.filter((table) =>
  referencesOf(table).some(([, of]) => of === 'organizations'),
);

/** A table whose rows belong to rows of another one. */
export interface ChildTable {
  readonly table: DataTableName;
  /** The column that names the other row. */
  readonly column: string;
}

/** The tables whose rows are deleted with the row that they belong to: the lists of a campaign. Users are never deleted, and organizations in steps. */
export const childrenOf = (parent: TableName): readonly ChildTable[] =>
  parent === 'users' || parent === 'organizations'
    ? []
    : tableNames.flatMap((table) =>
        referencesOf(table).flatMap(([column, of]) => (of === parent ? [{ table, column }] : [])),
      );

/** With integers, the number of a row is its id. Otherwise it is in a column of its own, and the order of lists too. */
function definitionIn(ids: IdFormat, table: TableName): TableDefinition {
  const definition: TableDefinition = tables[table];
  const type = ids === 'integer' ? 'integer' : 'text';
  const typed = Object.fromEntries(idColumnsOf(table).map(([column]) => [column, type] as const));
  const columns = { ...definition.columns, ...typed };
  if (ids === 'integer' || !definition.serial) return { ...definition, columns };
  const numbered = (indexes: TableDefinition['indexes']) =>
    Object.fromEntries(
      Object.entries(indexes).map(([name, { order = [], ...index }]) => {
        return [name, { ...index, order: order.map((column) => (column in typed ? 'position' : column)) }] as const;
      }),
    );
  return {
    ...definition,
    columns: { ...columns, position: 'integer' },
    serial: 'position',
    indexes: numbered(definition.indexes),
    ...(definition.orders && { orders: numbered(definition.orders) }),
  };
}

const definitions = {
  integer: byTable(allTableNames, (table) => definitionIn('integer', table)),
  opaque: byTable(allTableNames, (table) => definitionIn('opaque', table)),
};

/** The definition without its literal types, for code that handles all tables in the same way. */
export const definitionOf = (table: TableName, ids: IdFormat = 'integer'): TableDefinition => definitions[ids][table];

export const serialTables: readonly DataTableName[] = tableNames.filter((table) => definitionOf(table).serial);

/** A store is empty if these tables are empty. */
export const contentTables = tableNames.filter((name) => !definitionOf(name).survivesLoad);

export type Row<T extends TableName> = {
  -readonly [C in keyof Tables[T]['columns']]: Tables[T]['columns'][C] extends ColumnType
    ? ValueOf<Tables[T]['columns'][C]>
    : never;
};
export type Id<T extends TableName> = Row<T> extends { id: infer I extends string | number } ? I : never;

export type AnyRow = Record<string, unknown> & { id: string | number };

type OmittedColumn<T extends TableName> = Tables[T] extends { omittedFromLists: readonly (infer C)[] } ? C : never;
/** A row in a list: without the columns that lists omit. */
export type ListRow<T extends TableName> = Omit<Row<T>, OmittedColumn<T> & string>;

export type IndexName<T extends TableName> = keyof Tables[T]['indexes'] & string;
export type UniqueIndexName<T extends TableName> = {
  [I in IndexName<T>]: Tables[T]['indexes'][I] extends { unique: true } ? I : never;
}[IndexName<T>];
export type ListIndexName<T extends TableName> = Exclude<IndexName<T>, UniqueIndexName<T>>;

/** The tables whose lists can be filtered and sorted. */
export type SelectableTable = {
  [T in TableName]: Tables[T] extends { totals: object } ? T : never;
}[TableName];

type SerialColumn<T extends TableName> = Tables[T] extends { serial: infer C extends string } ? C : never;
export type OptionalColumn<T extends TableName> = {
  [C in keyof Row<T>]: Tables[T]['columns'][C & keyof Tables[T]['columns']] extends `${string}?` | 'strings' | 'counter'
    ? C
    : never;
}[keyof Row<T>];
/** A row to be stored. The store adds a serial number, and null, the empty list or 0 for the columns that are left out. */
export type NewRow<T extends TableName> = Omit<Row<T>, SerialColumn<T> | OptionalColumn<T>> &
  Partial<Pick<Row<T>, (SerialColumn<T> & keyof Row<T>) | OptionalColumn<T>>>;
