import { type CampaignChanges, type CampaignFields, financialFields } from '@mkt/sdk/contract';
import type { Row } from '../store/tables.js';
import { differing, sent, stamped } from './changes.js';
import type { Input, MemberContext, MemberResourceContext } from './context.js';
import { fieldLabel, guarded, invalid, invalidFields, refused } from './errors.js';
import { listing } from './listing.js';
import { draftsIndex } from './policy.js';

type OneContext = MemberResourceContext<'campaigns'>;

export const list = (context: MemberContext) =>
  listing(context, 'campaigns', draftsIndex(context.membership), [context.organizationId]);

export const get = async ({ resource }: OneContext) => resource;

export async function create(context: MemberContext, { fields }: Input<CampaignFields>) {
  const { store, organizationId, now } = context;
  const organization = (await store.get('organizations', organizationId)) as Row<'organizations'>;
  const row = {
    // The campaign form's defaults (D32), then what was sent.
    website: organization.website,
    content_type: 'ugc',
    category: 'product',
    currency: 'usd',
    cpm_amount: 500,
    min_payout_amount: 1000,
    max_payout_amount: 10_000,
    base_reward_amount: 0,
    platform_ids: ['youtube', 'tiktok'],
    countries: ['US'],
    tiktok_music_id: null,
    brief: organization.brief_template,
    ...sent(fields),
  };
  checkPayouts(row, fields);
  return store.insert('campaigns', {
    ...row,
    organization_id: organizationId,
    status: 'draft',
    // api.md, Campaigns rule 2: budget totals always start at zero.
    total_budget_amount: 0,
    used_amount: 0,
    unused_amount: 0,
    view_count: 0,
    submissions_count: 0,
    published_at: null,
    paused_at: null,
    banner_image_key: null,
    created_at: now,
    updated_at: now,
  });
}

export async function update({ store, resource, now }: OneContext, { fields }: Input<CampaignChanges>) {
  const changes = sent(fields);
  checkPayouts({ ...resource, ...changes }, fields);
  checkFinancials(resource, changes);
  return store.update('campaigns', resource.id, stamped(resource, changes, now));
}

/** api.md, Campaigns rule 4. */
export async function remove({ store, resource }: OneContext): Promise<void> {
  if (resource.status !== 'draft') {
    throw guarded(`A campaign that is ${resource.status} cannot be deleted: only drafts can. Pause it instead.`);
  }
  if (resource.total_budget_amount > 0) throw guarded('A campaign that has fundings cannot be deleted.');
  await store.delete('campaigns', resource.id);
}

/** D37: publish, pause, resume. */
export const publish = ({ store, resource, now }: OneContext) =>
  move(resource, 'published', ['draft'], () =>
    store.update('campaigns', resource.id, { status: 'active', published_at: now, updated_at: now }),
  );
export const pause = ({ store, resource, now }: OneContext) =>
  move(resource, 'paused', ['active'], () =>
    store.update('campaigns', resource.id, { status: 'paused', paused_at: now, updated_at: now }),
  );
export const resume = ({ store, resource, now }: OneContext) =>
  move(resource, 'resumed', ['paused'], () =>
    store.update('campaigns', resource.id, { status: 'active', paused_at: null, updated_at: now }),
  );

async function move(
  campaign: Row<'campaigns'>,
  verb: string,
  from: readonly string[],
  change: () => Promise<unknown>,
): Promise<void> {
  if (!from.includes(campaign.status)) {
    throw refused(
      `Campaign ${campaign.id} is ${campaign.status}: it can be ${verb} only when it is ${from.join(' or ')}.`,
    );
  }
  await change();
}

/** `min_payout_amount` <= `max_payout_amount` (D33), said on the one that was sent, of both on the first (D53). */
function checkPayouts(
  row: Pick<Row<'campaigns'>, 'min_payout_amount' | 'max_payout_amount'>,
  fields: CampaignChanges,
): void {
  if (row.min_payout_amount <= row.max_payout_amount) return;
  const { min_payout_amount: min, max_payout_amount: max } = row;
  throw fields.min_payout_amount === undefined
    ? invalid('max_payout_amount', `Max payout amount must be at least the min payout amount, which is ${min}.`)
    : invalid('min_payout_amount', `Min payout amount must be at most the max payout amount, which is ${max}.`);
}

/** A published campaign accepts no financial field updates; nothing else of the request is applied either (D35). */
function checkFinancials(campaign: Row<'campaigns'>, changes: CampaignChanges): void {
  if (campaign.published_at === null) return;
  const changed = differing(campaign, changes);
  const errors = financialFields
    .filter((name) => name in changed)
    .map(
      (name) =>
        [name, [`${fieldLabel(name)} cannot be changed after publication. Leave it out of the request.`]] as const,
    );
  if (errors.length > 0) throw invalidFields(Object.fromEntries(errors));
}
