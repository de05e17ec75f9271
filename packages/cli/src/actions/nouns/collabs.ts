import { collabs } from '../../resources/collabs.js';
import { create as creation, thenStep } from '../create.js';
import { each } from '../each.js';
import { list as listing } from '../list.js';
import { show as showing } from '../show.js';
import { action, removal } from '../steps.js';
import { update as updating } from '../update.js';

export const list = listing(collabs);
export const show = showing(collabs);
export const create = creation(collabs, {
  verb: 'create',
  done: 'Created',
  wrapper: 'collab',
  next: thenStep('collabs', 'submit'),
  query: ({ flags }) => (flags['from-page'] === undefined ? {} : { website: String(flags['from-page']) }),
});
export const update = updating(collabs, 'collab');
export const remove = each(collabs, removal('delete', 'Deleted'));
export const submit = each(collabs, action('submit', 'Submitted'));
export const pause = each(collabs, action('pause', 'Paused'));
export const unpause = each(collabs, action('unpause', 'Unpaused'));
