import type { Writer } from '../store/store.js';
import type { Row, TableName } from '../store/tables.js';

/** Who asks: the owner of the token or of the session. */
export interface Caller {
  readonly userId: string;
  readonly permission: string;
  readonly tokenId?: number;
}

/** What every rule works with. Rules know neither Request nor SQL. */
export interface Context {
  /** The transaction that the rule runs in; an endpoint with `scope: 'read'` writes nothing. */
  readonly store: Writer;
  readonly caller: Caller;
  /** This moment as the API writes it (D11). */
  readonly now: string;
  /** `bytes` random bytes in base64url. */
  readonly random: (bytes: number) => string;
  /** SHA-256 in hex. */
  readonly sha256: (text: string) => string;
  /** The page asked for; of lists only. */
  readonly page: PageRequest;
}

/** A rule of an endpoint with a role: the caller is in the organization of the path. */
export interface MemberContext extends Context {
  readonly organizationId: number;
  readonly membership: Row<'memberships'>;
}

/** A rule of an endpoint on one existing thing, which the caller may see. */
export interface ResourceContext<T extends TableName> extends Context {
  readonly resource: Row<T>;
}
export interface MemberResourceContext<T extends TableName> extends MemberContext {
  readonly resource: Row<T>;
}

export interface PageRequest {
  /** 1-based, as it was sent: it may be larger than any number (D3). */
  readonly number: string;
  readonly size: number;
}

/** An uploaded or downloaded picture of a known type. */
export interface Image {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** What the request brought, checked against the contract. */
export interface Input<Fields> {
  readonly fields: Fields;
  /** Whether the endpoint's purge flag was sent, inside the wrapper or beside it (D30). */
  readonly purge: boolean;
  readonly image: Image | null;
  /** What was read from the page that `?website=` names (D42). */
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
