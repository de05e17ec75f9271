import * as campaigns from '../../rules/campaigns.js';
import { sent } from '../../rules/changes.js';
import * as collabs from '../../rules/collabs.js';
import type { MemberContext } from '../../rules/context.js';
import { keepImage } from '../../rules/images.js';
import type { Row } from '../../store/tables.js';
import { campaignEntry, collabEntry } from './entries.js';
import type { Reading } from './reading.js';
import type { Given } from './seeding-writer.js';
import type { Path } from './source.js';
import { plainInput } from './users.js';

/** An organization that is there, and the admin who acts for it. */
export interface Home {
  readonly organization: Row<'organizations'>;
  readonly membership: Row<'memberships'>;
}

/** Campaigns of one organization. Without a home, which then has faults of its own, only the fields are checked. */
export async function readCampaigns(
  reading: Reading,
  homePath: Path,
  home: Home | null,
  values: readonly unknown[],
): Promise<void> {
  for (const [index, value] of values.entries()) {
    const path = [...homePath, 'campaigns', index];
    const { fields, columns } = reading.entry(campaignEntry, path, value) ?? {};
    if (!fields || !columns) continue;
    const { created_at = reading.nextMoment(), status = 'draft', view_count, submissions_count, updated_at } = columns;
    const id = reading.number('campaigns', columns.id, path);
    const given = {
      id,
      status,
      ...budgetOf(reading, path, columns),
      ...campaignMoments(reading, path, { ...columns, status, created_at }),
      ...sent({ view_count, submissions_count, updated_at }),
      banner_image_key: await readBanner(reading, path, home, columns),
    };
    if (!home) continue;
    const context = actingFor(reading, home, created_at, { campaigns: given });
    await reading.attempt(path, () => campaigns.create(context, { fields, ...plainInput }));
  }
}

export async function readCollabs(
  reading: Reading,
  homePath: Path,
  home: Home | null,
  values: readonly unknown[],
): Promise<void> {
  for (const [index, value] of values.entries()) {
    const path = [...homePath, 'collabs', index];
    const { fields, columns } = reading.entry(collabEntry, path, value) ?? {};
    if (!fields || !columns) continue;
    const { created_at = reading.nextMoment(), state = 'draft', updated_at } = columns;
    const { submissions_count, approved_submissions_count, completed_count } = columns;
    const id = reading.number('collabs', columns.id, path);
    const published = state === 'published' || state === 'paused';
    const given = {
      id,
      state,
      published_at: momentOf(reading, path, 'published_at', columns.published_at, published && created_at, state),
      ...sent({ submissions_count, approved_submissions_count, completed_count, updated_at }),
      banner_image_key: await readBanner(reading, path, home, columns),
    };
    if (!home) continue;
    const context = actingFor(reading, home, created_at, { collabs: given });
    await reading.attempt(path, () => collabs.create(context, { fields, ...plainInput }));
  }
}

const actingFor = (reading: Reading, home: Home, now: string, given: Given): MemberContext => ({
  ...reading.context(home.membership.user_id, now, given),
  organizationId: home.organization.id,
  membership: home.membership,
});

interface Budget {
  readonly total_budget_amount?: number | undefined;
  readonly used_amount?: number | undefined;
  readonly unused_amount?: number | undefined;
}

/** What is left out of the three amounts follows from the others. */
function budgetOf(reading: Reading, path: Path, budget: Budget) {
  const used = budget.used_amount ?? 0;
  const total = budget.total_budget_amount ?? used + (budget.unused_amount ?? 0);
  const unused = budget.unused_amount ?? total - used;
  if (unused < 0) {
    reading.fault([...path, 'used_amount'], `Used amount must be at most the total budget amount, which is ${total}.`);
  } else if (used + unused !== total) {
    const sum = `${used} + ${unused} is not ${total}`;
    reading.fault(
      [...path, 'total_budget_amount'],
      `Total budget amount must be used amount and unused amount together: ${sum}.`,
    );
  }
  return { total_budget_amount: total, used_amount: used, unused_amount: unused };
}

interface Published {
  readonly status: string;
  readonly created_at: string;
  readonly published_at?: string | null | undefined;
  readonly paused_at?: string | null | undefined;
}

/**
 * D37: published_at stands from publication on, paused_at while it is paused. It stays when a paused campaign is
 * finished, so a finished one may have it.
 */
function campaignMoments(reading: Reading, path: Path, campaign: Published) {
  const { status, created_at } = campaign;
  const publishedBy = status !== 'draft' && created_at;
  const published_at = momentOf(reading, path, 'published_at', campaign.published_at, publishedBy, status);
  if (status === 'finished') return { published_at, paused_at: campaign.paused_at ?? null };
  const pausedBy = status === 'paused' && (published_at ?? created_at);
  return { published_at, paused_at: momentOf(reading, path, 'paused_at', campaign.paused_at, pausedBy, status) };
}

/** @param fallback The moment where none is given; false in a state that has no such moment. */
function momentOf(
  reading: Reading,
  path: Path,
  field: 'published_at' | 'paused_at',
  given: string | null | undefined,
  fallback: string | false,
  state: string,
): string | null {
  if (fallback === false) {
    if (typeof given === 'string') reading.fault([...path, field], `What is ${state} has no ${field}. Leave it out.`);
    return null;
  }
  if (given === null) reading.fault([...path, field], `What is ${state} has a ${field}. Give one, or leave it out.`);
  return given ?? fallback;
}

interface Banner {
  readonly banner_image?: string | null | undefined;
  readonly banner_image_key?: string | undefined;
}

async function readBanner(
  reading: Reading,
  path: Path,
  home: Home | null,
  { banner_image, banner_image_key: key }: Banner,
): Promise<string | null> {
  const image = await reading.picture(banner_image, [...path, 'banner_image']);
  if (!reading.isImageKey(key, image, [...path, 'banner_image_key']) || !image || !home) return null;
  const context = reading.context(home.membership.user_id, home.organization.created_at, { images: sent({ id: key }) });
  return keepImage(context, home.organization.id, image);
}
