import type { Problem } from '../../http/problems.js';
import type { Resource } from '../resources.js';
import type { Stage } from '../stage.js';
import { crumbsInside } from './crumbs.js';
import { page } from './layout.js';

const titles: Readonly<Record<number, string>> = {
  400: 'This request makes no sense here',
  401: 'Not signed in for this',
  403: 'Not permitted',
  404: 'Not found',
  405: 'Not that way',
  413: 'Too large',
  415: 'Another kind of body is needed',
  422: 'Refused',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Out of reach for the moment',
};

/** A refused request as a page: what happened, and the ways on. */
export function problemPage(stage: Stage, { status, body }: Problem, back: string | null): string {
  const reasons = 'error' in body ? [body.error] : Object.values(body.errors).flat();
  return page({
    stage,
    title: titles[status] ?? 'Refused',
    part: `status ${status}`,
    crumbs: crumbsInside(stage),
    children: (
      <>
        {reasons.map((reason) => (
          <p>{reason}</p>
        ))}
        <p class="actions">
          {back !== null && <a href={back}>Go back</a>}
          {status === 401 || !stage.visitor ? (
            <a href={`/sign_in?return_to=${encodeURIComponent(back ?? stage.path)}`}>
              {stage.visitor ? 'Sign in with another token' : 'Sign in'}
            </a>
          ) : (
            <a href="/organizations">Your organizations</a>
          )}
          <small>Status {status}</small>
        </p>
      </>
    ),
  });
}

/** There is no address yet: a 404 in the API (api.md, Errors), and for a person the place to set one. */
export const noAddressPage = (stage: Stage, { empty, newLabel, heading }: Resource, mayWrite: boolean) =>
  page({
    stage,
    title: heading,
    beside: mayWrite && (
      <a class="button" href="/me/address/edit">
        {newLabel}
      </a>
    ),
    json: '/me/address.json',
    children: <p class="empty">{empty}</p>,
  });
