import type { Row } from '../store/tables.js';
import type { Flash } from './flash.js';

/** The context of a page: its location and its visitor. */
export interface PageContext {
  /** Path and query of the page. */
  readonly path: string;
  /** The base URL of this server. */
  readonly base: string;
  readonly visitor: Visitor | null;
  /** The CSRF token of the page's forms; null if no user is signed in, because then the page has no forms. */
  readonly csrf: string | null;
  readonly flash: Flash | null;
  /** The organization of the path, if the visitor is a member. */
  readonly organization: Row<'organizations'> | null;
  readonly membership: Row<'memberships'> | null;
  /** Whether the operator's console is enabled. */
  readonly hasConsole: boolean;
}

export interface Visitor {
  readonly userId: string;
  readonly name: string;
  readonly permission: string;
  /** The access token of the session. */
  readonly tokenId: number | string | null;
}
