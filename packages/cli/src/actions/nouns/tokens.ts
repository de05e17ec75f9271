import type { View } from '../../output/view.js';
import type { Resource } from '../../resources/resource.js';
import { tokens } from '../../resources/tokens.js';
import { create as creation } from '../create.js';
import { each } from '../each.js';
import { list as listing } from '../list.js';
import { removal } from '../steps.js';

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
