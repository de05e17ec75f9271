import { socialAccounts } from '../../resources/social-accounts.js';
import { create } from '../create.js';
import { each } from '../each.js';
import { list as listing } from '../list.js';
import { show as showing } from '../show.js';
import { removal } from '../steps.js';

export const list = listing(socialAccounts);
export const show = showing(socialAccounts);
export const connect = create(socialAccounts, { verb: 'connect', done: 'Connected', wrapper: 'social_account' });
export const remove = each(socialAccounts, removal('remove', 'Removed'));
