import type { Endpoint } from '@mkt/sdk/contract';
import { unauthorized } from '../http/problems.js';
import { forbidden } from '../rules/errors.js';
import { roleRefusal } from '../rules/policy.js';
import type { Stage } from './stage.js';

/** Why this visitor may not do it, as the pipeline would say it; null where a page may offer it. */
export function refusalOf(stage: Stage, endpoint: Endpoint, resource: unknown = null): Error | null {
  if (stage.csrf === null) return unauthorized('Forms need a session. Sign in at /sign_in.');
  if (stage.visitor?.permission !== 'write') {
    return unauthorized('You are signed in with a read-only token. Sign in with one that has the write permission.');
  }
  if (endpoint.role === 'none') return null;
  if (!stage.membership) return forbidden('You are not in this organization.');
  return roleRefusal(endpoint.role, stage.membership, resource);
}

export const offers = (stage: Stage, endpoint: Endpoint | null, resource: unknown = null): endpoint is Endpoint =>
  endpoint !== null && refusalOf(stage, endpoint, resource) === null;
