import type { Endpoint } from '@mkt/sdk/contract';
import { unauthorized } from '../http/problems.js';
import { forbidden } from '../rules/errors.js';
import { roleRefusal } from '../rules/policy.js';
import type { Stage } from './stage.js';

/** The error that the pipeline would throw for this visitor; null if a page may offer the action. */
export function refusalOf(stage: Stage, endpoint: Endpoint, resource: unknown = null): Error | null {
  if (stage.csrf === null) return unauthorized('Forms need a session. Sign in at /sign_in.');
  if (stage.visitor?.permission !== 'write') {
    return unauthorized('You are signed in with a read-only token. Sign in with a token that has write permission.');
  }
  if (endpoint.role === 'none') return null;
  if (!stage.membership) return forbidden('You are not a member of this organization.');
  return roleRefusal(endpoint.role, stage.membership, resource);
}

export const offers = (stage: Stage, endpoint: Endpoint | null, resource: unknown = null): endpoint is Endpoint =>
  endpoint !== null && refusalOf(stage, endpoint, resource) === null;
