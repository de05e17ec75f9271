import { campaigns } from '../../api/resources/campaigns.js';
import { create as creation, thenStep } from '../../shared/create.js';
import { each } from '../../shared/each.js';
import { list as listing } from '../../shared/list.js';
import { show as showing } from '../../shared/show.js';
import { action, removal } from '../../shared/steps.js';
import { update as updating } from '../../shared/update.js';

export const list = listing(campaigns);
export const show = showing(campaigns);
export const create = creation(campaigns, {
  verb: 'create',
  done: 'Created',
  wrapper: 'campaign',
  next: thenStep('campaigns', 'publish'),
});
export const update = updating(campaigns, 'campaign');
export const remove = each(campaigns, removal('delete', 'Deleted'));
export const publish = each(campaigns, action('publish', 'Published'));
export const pause = each(campaigns, action('pause', 'Paused'));
export const resume = each(campaigns, action('resume', 'Resumed'));
