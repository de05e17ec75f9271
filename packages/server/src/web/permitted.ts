import type { Endpoint } from '@mkt/sdk/contract';
import { unauthorized } from '../http/problems.js';
import { forbidden } from '../rules/errors.js';
import { roleError } from '../rules/policy.js';
import type { PageContext } from './page-context.js';

/** The error that the pipeline would throw for this visitor; null if a page may offer the action. */
export function permissionError(context: PageContext, endpoint: Endpoint, resource: unknown = null): Error | null {
  if (context.csrf === null) return unauthorized('Forms need a session. Sign in at /sign_in.');
  if (context.visitor?.permission !== 'write') {
    return unauthorized('You are signed in with a read-only token. Sign in with a token that has write permission.');
  }
  if (endpoint.role === 'none') return null;
  if (!context.membership) return forbidden('You are not a member of this organization.');
  return roleError(endpoint.role, context.membership, resource);
}

export const offers = (
  context: PageContext,
  endpoint: Endpoint | null,
  resource: unknown = null,
): endpoint is Endpoint => endpoint !== null && permissionError(context, endpoint, resource) === null;
