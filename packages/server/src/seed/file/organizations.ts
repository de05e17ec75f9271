import type * as z from 'zod/mini';
import * as campaigns from '../../rules/campaigns.js';
import { definedFields } from '../../rules/changes.js';
import * as collabs from '../../rules/collabs.js';
import type { MemberContext } from '../../rules/context.js';
import { storeImage } from '../../rules/images.js';
import * as organizations from '../../rules/organizations.js';
import { membershipId } from '../../rules/policy.js';
import type { Row } from '../../store/tables.js';
import { didYouMean, entriesOf, itemsOf, noExtras, type Overrides, type SeedReader, type Users } from './reader.js';
import * as schema from './schema.js';
import type { Path } from './source.js';

interface Home {
  readonly organization: Row<'organizations'>;
  /** The id of the admin who creates campaigns and collabs. */
  readonly membership: Row<'memberships'>;
}

/** An organization with its members, campaigns and collabs. If it has problems itself, these are checked, but not stored. */
export async function readOrganization(
  reader: SeedReader,
  handle: string,
  value: unknown,
  users: Users,
): Promise<void> {
  const path = ['organizations', handle];
  reader.checkHandle(handle, path);
  const given = reader.object(schema.organization, path, value);
  const id = reader.rowNumber('organizations', given ?? {}, path);
  const members = readMembers(reader, id, [...path, 'members'], entriesOf(value, 'members'), users);
  const home = given && members && (await createOrganization(reader, path, { ...given, id }, members));
  for (const [index, campaign] of itemsOf(value, 'campaigns').entries())
    await readCampaign(reader, [...path, 'campaigns', index], campaign, home);
  for (const [index, collab] of itemsOf(value, 'collabs').entries())
    await readCollab(reader, [...path, 'collabs', index], collab, home);
}

type OrganizationFields = Omit<z.infer<typeof schema.organization.schema>, 'id'> & { readonly id: number };

/** Its owner creates it, as in the API; its first admin if it has no owner (D26). */
async function createOrganization(
  reader: SeedReader,
  path: Path,
  given: OrganizationFields,
  members: readonly Member[],
): Promise<Home | null> {
  const { id, created_at = reader.nextTimestamp(), updated_at, logo, logo_key, brief_template = null } = given;
  const image = await reader.image(path, 'logo', logo, logo_key);
  if (!image && (logo || logo_key)) return null;
  if (!image && given.privacy_setting === 'private') {
    reader.report([...path, 'logo'], 'A private organization needs a logo. Give a path or a data URL.');
    return null;
  }
  const founder = members.find(({ is_owner }) => is_owner) ?? members.find(({ role }) => role === 'admin');
  if (!founder) return null;
  const membership = memberRow(founder, created_at);
  const { default_currency, default_countries, has_active_subscription } = given;
  const context = reader.context(founder.user_id, created_at, {
    organizations: {
      ...definedFields({ default_currency, default_countries, has_active_subscription, updated_at }),
      id,
      brief_template,
    },
    memberships: membership,
    images: definedFields({ id: logo_key }),
  });
  const organization = await reader.apply(path, () =>
    organizations.create(context, { ...noExtras, fields: given, image }),
  );
  if (!organization) return null;
  for (const member of members) {
    if (member !== founder) await reader.store.insert('memberships', memberRow(member, reader.nextTimestamp()));
  }
  return { organization, membership };
}

type Dates = Partial<Record<'created_at' | 'updated_at', string | undefined>>;
type Member = Omit<Row<'memberships'>, keyof Dates> & Dates;

const memberRow = ({ created_at: created, updated_at, ...member }: Member, now: string): Row<'memberships'> => {
  const created_at = created ?? now;
  return { ...member, created_at, updated_at: updated_at ?? created_at };
};

/** Members in joining order. Null if the organization cannot be created with them. */
function readMembers(
  reader: SeedReader,
  organizationId: number,
  path: Path,
  values: readonly [string, unknown][],
  users: Users,
): Member[] | null {
  const members = values.flatMap(([handle, value]) => {
    const member = readMember(reader, organizationId, [...path, handle], handle, value, users);
    return member ? [member] : [];
  });
  if (members.filter(({ is_owner }) => is_owner).length > 1)
    reader.report(path, 'An organization has at most one owner.');
  // A member with problems may be the admin.
  if (members.length < values.length) return null;
  if (members.some(({ role }) => role === 'admin')) return members;
  reader.report(path, 'An organization needs an owner or an admin. Add one, as in "members: {ada: owner}".');
  return null;
}

function readMember(
  reader: SeedReader,
  organizationId: number,
  path: Path,
  handle: string,
  value: unknown,
  users: Users,
): Member | null {
  if (!users.handles.includes(handle)) {
    const hint = didYouMean(handle, users.handles) ?? 'Add the user under users.';
    reader.report(path, `No user has the handle ${handle}. ${hint}`, 'key');
    return null;
  }
  const given = reader.object(schema.member, path, typeof value === 'string' ? { role: value } : value);
  const userId = users.ids.get(handle);
  if (!given || userId === undefined) return null;
  const { role, id = membershipId(organizationId, userId), created_at, updated_at } = given;
  const position = reader.number('memberships', given.position, path, 'position');
  if (!reader.isUnique('membership id', id, path)) return null;
  return {
    id,
    position,
    organization_id: organizationId,
    user_id: userId,
    role: role === 'owner' ? 'admin' : role,
    is_owner: role === 'owner',
    created_at,
    updated_at,
  };
}

async function readCampaign(reader: SeedReader, path: Path, value: unknown, home: Home | null): Promise<void> {
  const given = reader.object(schema.campaign, path, value);
  if (!given) return;
  const { id: _id, position: _position, banner_image, banner_image_key, ...fields } = given;
  const { status = 'draft', created_at = reader.nextTimestamp() } = fields;
  const overrides = {
    ...definedFields(fields),
    id: reader.rowNumber('campaigns', given, path),
    status,
    ...budgetOf(reader, path, fields),
    ...campaignTimes(reader, path, { ...fields, status, created_at }),
    banner_image_key: await readBanner(reader, path, given, home),
  };
  if (!home) return;
  const context = contextOf(reader, home, created_at, { campaigns: overrides });
  await reader.apply(path, () => campaigns.create(context, { ...noExtras, fields }));
}

async function readCollab(reader: SeedReader, path: Path, value: unknown, home: Home | null): Promise<void> {
  const given = reader.object(schema.collab, path, value);
  if (!given) return;
  const { id: _id, position: _position, banner_image, banner_image_key, ...fields } = given;
  const { state = 'draft', created_at = reader.nextTimestamp() } = fields;
  const isPublished = state === 'published' || state === 'paused';
  const overrides = {
    ...definedFields(fields),
    id: reader.rowNumber('collabs', given, path),
    state,
    published_at: timeInState(reader, [...path, 'published_at'], fields.published_at, state, isPublished && created_at),
    banner_image_key: await readBanner(reader, path, given, home),
  };
  if (!home) return;
  const context = contextOf(reader, home, created_at, { collabs: overrides });
  await reader.apply(path, () => collabs.create(context, { ...noExtras, fields }));
}

const contextOf = (reader: SeedReader, home: Home, now: string, overrides: Overrides): MemberContext => ({
  ...reader.context(home.membership.user_id, now, overrides),
  organizationId: home.organization.id,
  membership: home.membership,
});

type CampaignFields = Omit<z.infer<typeof schema.campaign.schema>, 'id' | 'position'>;

/** Computes omitted amounts from the others. */
function budgetOf(reader: SeedReader, path: Path, given: CampaignFields) {
  const { used_amount = 0, total_budget_amount = used_amount + (given.unused_amount ?? 0) } = given;
  const { unused_amount = total_budget_amount - used_amount } = given;
  if (unused_amount < 0)
    reader.report(
      [...path, 'used_amount'],
      `Used amount must be at most the total budget amount, which is ${total_budget_amount}.`,
    );
  else if (used_amount + unused_amount !== total_budget_amount)
    reader.report(
      [...path, 'total_budget_amount'],
      `Total budget amount must be the sum of used amount and unused amount: ${used_amount} + ${unused_amount} is not ${total_budget_amount}.`,
    );
  return { total_budget_amount, used_amount, unused_amount };
}

/** A paused campaign keeps its paused_at when it is finished, so finished ones may have it (D37). */
function campaignTimes(
  reader: SeedReader,
  path: Path,
  { status, created_at, ...given }: CampaignFields & { readonly status: string; readonly created_at: string },
) {
  const publishedPath = [...path, 'published_at'];
  const published_at = timeInState(reader, publishedPath, given.published_at, status, status !== 'draft' && created_at);
  if (status === 'finished') return { published_at, paused_at: given.paused_at ?? null };
  const isPaused = status === 'paused' && (published_at ?? created_at);
  return { published_at, paused_at: timeInState(reader, [...path, 'paused_at'], given.paused_at, status, isPaused) };
}

/** @param fallback The time if none is given; false if this state has no such time. */
function timeInState(
  reader: SeedReader,
  path: Path,
  given: string | null | undefined,
  state: string,
  fallback: string | false,
): string | null {
  const field = path.at(-1);
  if (fallback !== false && given === null)
    reader.report(path, `When the state is ${state}, ${field} cannot be null. Set it, or leave it out.`);
  if (fallback === false && given)
    reader.report(path, `When the state is ${state}, ${field} cannot be set. Leave it out.`);
  return fallback === false ? null : (given ?? fallback);
}

type Banner = Pick<CampaignFields, 'banner_image' | 'banner_image_key'>;

async function readBanner(
  reader: SeedReader,
  path: Path,
  { banner_image, banner_image_key: id }: Banner,
  home: Home | null,
): Promise<string | null> {
  const image = await reader.image(path, 'banner_image', banner_image, id);
  if (!image || !home) return null;
  const { organization, membership } = home;
  const context = reader.context(membership.user_id, organization.created_at, { images: definedFields({ id }) });
  return storeImage(context, organization.id, image);
}
