import type { Endpoint } from '@mkt/sdk/contract';
import type { Parameters } from '../http/authorizer.js';
import type { Exchange } from '../http/exchange.js';
import { unauthorized } from '../http/problems.js';
import type { Caller } from '../rules/context.js';
import { forbidden } from '../rules/errors.js';
import { roleError } from '../rules/policy.js';
import type { ListRow, Row } from '../store/tables.js';
import type { Flash, Undo } from './flash.js';

/** The context of a page: its location and its visitor. */
export interface PageContext {
  /** Path and query of the page. */
  readonly path: string;
  readonly parameters: Parameters;
  /** Waits for the visitor's turn between parts of a long page. */
  readonly turn: () => Promise<unknown>;
  readonly base: string;
  readonly visitor: Visitor | null;
  /** The CSRF token of the page's forms; null if no user is signed in, because then the page has no forms. */
  readonly csrf: string | null;
  /** The unique id of the page's forms: if one is sent twice, it is processed once. */
  readonly formId: string;
  readonly flash: Flash | null;
  /** The form that takes back what the flash message reports. */
  readonly undo: Undo | null;
  /** The organization of the path, if the visitor is a member. */
  readonly organization: Row<'organizations'> | null;
  readonly membership: Row<'memberships'> | null;
  /** The first organizations of the visitor, for the brand switcher. */
  readonly brands: readonly ListRow<'organizations'>[];
  readonly extraPages: readonly ExtraPage[];
}

/** Without a token id if the request has a bearer token. */
export interface Visitor extends Caller {
  readonly name: string;
}

export const readOnlyText = 'You are signed in with a read-only token. Sign in with a token that has write permission.';

/** The error that the pipeline would throw for this visitor; null if a page may offer the action. */
export function permissionError(context: PageContext, endpoint: Endpoint, resource: unknown = null): Error | null {
  if (context.csrf === null) return unauthorized('Forms need a session. Sign in at /sign_in.');
  if (context.visitor?.permission !== 'write') return unauthorized(readOnlyText);
  if (endpoint.role === 'none') return null;
  if (!context.membership) return forbidden('You are not a member of this brand.');
  return roleError(endpoint.role, context.membership, resource);
}

export const offers = (
  context: PageContext,
  endpoint: Endpoint | null,
  resource: unknown = null,
): endpoint is Endpoint => endpoint !== null && permissionError(context, endpoint, resource) === null;

/** A page of the program that runs the server. It is for this machine: the path of a proxy is not added to its links. */
export interface ExtraPage {
  readonly path: string;
  /** Also its label in the navigation. */
  readonly title: string;
  /** HTML below the title. */
  readonly content: string;
  /** Sent with the page, such as a Content-Security-Policy that permits its scripts. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Files that the page loads. Browsers cache them permanently, so a path must change with its text. */
  readonly assets?: readonly { readonly path: string; readonly type: string; readonly text: string }[];
  /** Called before the page is rendered. @throws for visitors that may not see it */
  readonly check?: (exchange: Exchange) => void;
}
