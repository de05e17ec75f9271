import { limits } from '@mkt/sdk/contract';
import type { Key, Selected, Writer } from '../store/store.js';
import type { Id, ListIndexName, ListRow, Row, SelectableTable, TableName } from '../store/tables.js';

/** The user that the token or the session belongs to. */
export interface Caller {
  readonly userId: string;
  readonly permission: string;
  readonly tokenId?: Id<'access_tokens'>;
}

/** Rules know neither Request nor SQL. */
export interface Context {
  /** The transaction that the rule runs in; an endpoint with `scope: 'read'` writes nothing. */
  readonly store: Writer;
  readonly caller: Caller;
  /** The current time as the API writes it. */
  readonly now: string;
  /** `bytes` random bytes in base64url. */
  readonly random: (bytes: number) => string;
  /** SHA-256 in hex. */
  readonly sha256: (text: string) => string;
  /** Lists only. */
  readonly page: PageRequest;
}

/** For endpoints with a role: the caller is a member of the organization in the path. */
export interface MemberContext extends Context {
  readonly organizationId: Id<'organizations'>;
  readonly membership: Row<'memberships'>;
}

/** For endpoints of one existing resource, which is visible to the caller. */
export interface ResourceContext<T extends TableName> extends Context {
  readonly resource: Row<T>;
}
export interface MemberResourceContext<T extends TableName> extends MemberContext {
  readonly resource: Row<T>;
}

/** The filter and the order of a list on web pages, as in the URL. Empty values do not filter. */
export interface ListQuery {
  /** A part of the name. */
  readonly name: string;
  /** Several states are separated by commas. */
  readonly status: string;
  readonly platform: string;
  readonly country: string;
  readonly currency: string;
  /** The least percentage of the budget that is used; `none` for campaigns without a budget. */
  readonly used: string;
  /** The first and the last day of the publication in UTC, such as `2026-11-28`. */
  readonly from: string;
  readonly to: string;
  /** A field, with a minus for descending order. By default, new items come first. */
  readonly sort: string;
}

const queryNames = ['name', 'status', 'platform', 'country', 'currency', 'used', 'from', 'to', 'sort'] as const;

/**
 * The query of a URL. Other parameters are ignored. Only a status may be given several times. Items published on some days
 * are in the order of publication, because its index has just these.
 */
export function listQueryOf(parameters: (name: string) => readonly string[]): ListQuery {
  const query = Object.fromEntries(
    queryNames.map((name) => {
      const given = parameters(name);
      const [first = ''] = given;
      return [name, (name === 'status' ? given.filter(Boolean).join(',') : first).trim().slice(0, limits.text)];
    }),
  ) as unknown as ListQuery;
  return query.sort === '' && (query.from || query.to) ? { ...query, sort: '-published' } : query;
}

/**
 * The items of a list that a web page shows.
 * @param hidden the state whose items the visitor may not see
 */
export type Select = (
  context: MemberContext,
  table: SelectableTable,
  hidden: string | null,
) => Promise<Listing<object>>;

export interface PageRequest {
  /** 1-based, as the client sent it: it may exceed every number type. */
  readonly number: string;
  readonly size: number;
  /** Applies the filter and the order, only on web pages: the API has neither. */
  readonly select?: Select;
  /** In a download: the items after the one with this number, or from the beginning. `number` is ignored. */
  readonly after?: number | 'start';
  /** Only the ids of all items, or of the first `maxTested`. `number` and `size` are ignored. */
  readonly isOnlyIds?: boolean;
  /** In a sorted download: these items, in this order, without those that are gone. */
  readonly only?: readonly Id<SelectableTable>[];
}

/** An uploaded or downloaded image of a known type. */
export interface Image {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** The request's body and query, checked against the contract. */
export interface Input<Fields> {
  readonly fields: Fields;
  /** Whether the endpoint's purge flag was sent, inside or outside the wrapper. */
  readonly purge: boolean;
  readonly image: Image | null;
  /** From the page of `?website=`. */
  readonly prefill: Prefill | null;
}

export interface Prefill {
  readonly website: string;
  readonly name: string | null;
  readonly brief: string | null;
  readonly countries: readonly string[] | null;
  readonly image: Image | null;
}

export type ListLimit = Selected<object>['limit'] | 'matches' | 'tested' | 'letters' | 'slow';

/** One page of a list, with the true total. */
export interface Listing<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  /**
   * Why the list of a web page is not complete. A search: `matches` if it found more, `tested` if more names match than were
   * tested for other filters, `letters` if it has too few for a long list, `slow` if it took too long.
   */
  readonly limit?: ListLimit;
  /** The number of the last item, if it is a part of a download. */
  readonly last?: number | undefined;
}

/** The requested page of an index. Pages past the end are empty and still have the correct total. */
export async function listing<T extends TableName>(
  { store, page }: Pick<Context, 'store' | 'page'>,
  table: T,
  index: ListIndexName<T>,
  key: Key,
): Promise<Listing<ListRow<T>>> {
  const { size } = page;
  const offset = (Number(page.number) - 1) * size;
  const total = await store.count(table, index, key);
  const items = offset < total ? await store.page(table, index, key, { offset, limit: size }) : [];
  return { items, total };
}
