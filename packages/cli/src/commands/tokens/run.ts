import type { Resource } from '../../api/resources/resource.js';
import { tokens } from '../../api/resources/tokens.js';
import type { View } from '../../output/view.js';
import { create as creation } from '../../shared/create.js';
import { each } from '../../shared/each.js';
import { list as listing } from '../../shared/list.js';
import { removal } from '../../shared/steps.js';

const columns: View['columns'] = [
  ...tokens.columns.slice(0, 3),
  { field: 'token', header: 'TOKEN', priority: 0, whole: true },
];
/** As a creation answers: with the secret, which no list ever shows (D21). */
const withSecret: Resource = { ...tokens, columns };

export const list = listing(tokens);
export const create = creation(withSecret, {
  verb: 'create',
  done: 'Created',
  wrapper: 'access_token',
  next: () => 'Copy the secret now: it is shown only this once.',
});
export const revoke = each(tokens, removal('revoke', 'Revoked'));
