import type { Key, Writer } from '../store/store.js';
import { definitionOf, type Id, type ListIndexName, type ListRow, type Row, type TableName } from '../store/tables.js';

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
  /** In a download: the items after the one with this number, or from the beginning. `number` is ignored. */
  readonly after?: number | 'start';
}

/** A search shows this many items, so that it takes as long for a common name among a million items (D139). */
export const maxMatches = 500;

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

export type DownloadPart = Required<Pick<PageRequest, 'size' | 'after'>>;

/** One page of a list, with the true total. */
export interface Listing<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  /** The number of the last item, if it is a part of a download. */
  readonly last?: number | undefined;
}

/** The requested page of an index. Pages past the end are empty and still have the correct total (D3). */
export async function listing<T extends TableName>(
  { store, page }: Pick<Context, 'store' | 'page'>,
  table: T,
  index: ListIndexName<T>,
  key: Key,
): Promise<Listing<ListRow<T>>> {
  const { name: text, newestFirst = false, after, size } = page;
  const scan = (limit: number, start?: number) =>
    store.scan(table, index, key, { limit, newestFirst, text, after: start });
  if (after !== undefined) {
    const items = await scan(size, after === 'start' ? undefined : after);
    const last = items.at(-1) as { readonly id: number; readonly position?: number } | undefined;
    return { items, total: items.length, last: last?.position ?? last?.id };
  }
  const offset = (Number(page.number) - 1) * size;
  if (text !== undefined && definitionOf(table).searched) {
    const found = await scan(maxMatches);
    return { items: found.slice(offset, offset + size), total: found.length };
  }
  const total = await store.count(table, index, key);
  if (offset >= total) return { items: [], total };
  if (!newestFirst) return { items: await store.page(table, index, key, { offset, limit: size }), total };
  const end = total - offset;
  const start = Math.max(0, end - size);
  const items = await store.page(table, index, key, { offset: start, limit: end - start });
  return { items: items.toReversed(), total };
}
