import type { Row } from '../store/tables.js';
import type { Flash } from './flash.js';

/** What stands around a page: where it is, and who looks at it. */
export interface Stage {
  /** Path and query of the page. */
  readonly path: string;
  /** What addresses of this server start with. */
  readonly base: string;
  readonly visitor: Visitor | null;
  /** What the page's forms prove themselves with; null where nobody is signed in, and the page has no forms. */
  readonly csrf: string | null;
  readonly flash: Flash | null;
  /** The organization of the path, where the visitor is in it. */
  readonly organization: Row<'organizations'> | null;
  readonly membership: Row<'memberships'> | null;
  /** Whether the operator's console is there. */
  readonly hasConsole: boolean;
}

export interface Visitor {
  readonly userId: string;
  readonly name: string;
  readonly permission: string;
}
