import { socialAccounts } from '../../api/resources/social-accounts.js';
import { create } from '../../shared/create.js';
import { each } from '../../shared/each.js';
import { list as listing } from '../../shared/list.js';
import { show as showing } from '../../shared/show.js';
import { removal } from '../../shared/steps.js';

export const list = listing(socialAccounts);
export const show = showing(socialAccounts);
export const connect = create(socialAccounts, { verb: 'connect', done: 'Connected', wrapper: 'social_account' });
export const remove = each(socialAccounts, removal('remove', 'Removed'));
