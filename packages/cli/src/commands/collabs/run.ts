import { collabs } from '../../api/resources/collabs.js';
import { create as creation, thenStep } from '../../shared/create.js';
import { each } from '../../shared/each.js';
import { list as listing } from '../../shared/list.js';
import { show as showing } from '../../shared/show.js';
import { action, removal } from '../../shared/steps.js';
import { update as updating } from '../../shared/update.js';

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
