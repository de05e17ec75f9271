import { type CampaignChanges, type CampaignFields, contract, resources, type Transition } from '@mkt/sdk/contract';
import type { Row } from '../store/tables.js';
import { checkTransition, definedFields, differences, withUpdatedAt } from './changes.js';
import type { Input, MemberContext, MemberResourceContext } from './context.js';
import { deletionErrors } from './deletion.js';
import { invalidFields } from './errors.js';
import { rangeProblems } from './fields.js';
import { visibleItems } from './policy.js';

const endpoints = contract.campaigns;
const { states, defaults, money, locked } = resources.campaigns;

type OneContext = MemberResourceContext<'campaigns'>;

export const list = (context: MemberContext) => visibleItems(context, 'campaigns');

export const get = async ({ resource }: OneContext) => resource;

export async function create(context: MemberContext, { fields }: Input<CampaignFields>) {
  const { store, organizationId, now } = context;
  const organization = (await store.get('organizations', organizationId)) as Row<'organizations'>;
  const row = {
    // Later ones override: defaults of the API, of the organization, fields in the request.
    ...defaults,
    website: organization.website,
    platform_ids: [...defaults.platform_ids],
    countries: [...defaults.countries],
    brief: organization.brief_template,
    ...definedFields(fields),
  };
  checkRanges(row, fields);
  return store.insert('campaigns', {
    ...row,
    organization_id: organizationId,
    status: states.initial,
    created_at: now,
    updated_at: now,
  });
}

export async function update({ store, resource, now }: OneContext, { fields }: Input<CampaignChanges>) {
  const changes = definedFields(fields);
  checkRanges({ ...resource, ...changes }, fields);
  checkLocked(resource, changes);
  return store.update('campaigns', resource.id, withUpdatedAt(resource, changes, now));
}

async function remove({ store, resource }: OneContext): Promise<void> {
  const error = deletionErrors.campaigns(resource);
  if (error) throw error;
  await store.delete('campaigns', resource.id);
}

export { remove as delete };

export const publish = (context: OneContext) => changeState(context, endpoints.publish, { published_at: context.now });
export const pause = (context: OneContext) => changeState(context, endpoints.pause, { paused_at: context.now });
export const resume = (context: OneContext) => changeState(context, endpoints.resume, { paused_at: null });

async function changeState(
  { store, resource, now }: OneContext,
  { transition }: { readonly transition: Transition },
  dates: Partial<Pick<Row<'campaigns'>, 'published_at' | 'paused_at'>>,
): Promise<void> {
  checkTransition(`Campaign ${resource.id}`, resource.status, transition);
  await store.update('campaigns', resource.id, { status: transition.to, ...dates, updated_at: now });
}

function checkRanges(row: object, fields: CampaignChanges): void {
  const problems = rangeProblems(money.ranges, { ...row }, { ...fields });
  if (Object.keys(problems).length > 0) throw invalidFields(problems);
}

/** The financial fields of a published campaign cannot be changed; such a request changes nothing. */
function checkLocked(campaign: Row<'campaigns'>, changes: CampaignChanges): void {
  if (campaign[locked.since] === null) return;
  const changed = differences(campaign, changes);
  const names = locked.fields.filter((name) => name in changed);
  if (names.length > 0) throw invalidFields(Object.fromEntries(names.map((name) => [name, [{ code: 'locked' }]])));
}
