import type { Key, Writer } from '../store/store.js';
import type { Id, ListIndexName, ListRow, Row, TableName } from '../store/tables.js';

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
  /** The current time as the API writes it (D11). */
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

export interface PageRequest {
  /** 1-based, as the client sent it: it may exceed every number type (D3). */
  readonly number: string;
  readonly size: number;
  /** Only items in this state: a filter of the web pages, not of the API (D139). */
  readonly state?: string;
  /** Only items with this text in their names, also only of the web pages. */
  readonly name?: string;
  /** The reverse order, also only of the web pages. */
  readonly newestFirst?: boolean;
}

/** A search by name reads the newest items of a list, so that it takes as long for a million items (D139). */
export const searchedItems = 2000;

/** An uploaded or downloaded image of a known type. */
export interface Image {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** The request's body and query, checked against the contract. */
export interface Input<Fields> {
  readonly fields: Fields;
  /** Whether the endpoint's purge flag was sent, inside or outside the wrapper (D30). */
  readonly purge: boolean;
  readonly image: Image | null;
  /** From the page of `?website=` (D42). */
  readonly prefill: Prefill | null;
}

export interface Prefill {
  readonly website: string;
  readonly name: string | null;
  readonly brief: string | null;
  readonly countries: readonly string[] | null;
  readonly image: Image | null;
}

/** One page of a list, with the true total. */
export interface Listing<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/** The requested page of an index. Pages past the end are empty and still have the correct total (D3). */
export async function listing<T extends TableName>(
  { store, page }: Pick<Context, 'store' | 'page'>,
  table: T,
  index: ListIndexName<T>,
  key: Key,
): Promise<Listing<ListRow<T>>> {
  const total = await store.count(table, index, key);
  const offset = (Number(page.number) - 1) * page.size;
  if (page.name !== undefined && (table === 'campaigns' || table === 'collabs')) {
    const slice = { offset: Math.max(0, total - searchedItems), limit: searchedItems };
    const wanted = searchText(page.name);
    const found = (await store.page(table, index, key, slice)).filter(
      (row) => 'name' in row && searchText(row.name).includes(wanted),
    );
    const ordered = page.newestFirst ? found.toReversed() : found;
    return { items: ordered.slice(offset, offset + page.size), total: found.length };
  }
  if (offset >= total) return { items: [], total };
  if (!page.newestFirst) return { items: await store.page(table, index, key, { offset, limit: page.size }), total };
  const end = total - offset;
  const start = Math.max(0, end - page.size);
  const items = await store.page(table, index, key, { offset: start, limit: end - start });
  return { items: items.toReversed(), total };
}

/** Ignores case and accents. */
const searchText = (text: unknown): string =>
  String(text).normalize('NFKD').replace(/\p{M}/gu, '').replace(/\s+/g, ' ').trim().toLowerCase();
