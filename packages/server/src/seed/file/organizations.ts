import { sent } from '../../rules/changes.js';
import { isCountry, isCurrency } from '../../rules/codes.js';
import * as organizations from '../../rules/organizations.js';
import { organizationEntry } from './entries.js';
import { type Member, memberRow, readMembers } from './members.js';
import { type Home, readCampaigns, readCollabs } from './programs.js';
import { isMapping, listUnder, type Reading } from './reading.js';
import type { Path } from './source.js';
import type { Users } from './users.js';

type Read = NonNullable<ReturnType<typeof readEntry>>;
const readEntry = (reading: Reading, path: Path, value: unknown) => reading.entry(organizationEntry, path, value);

/** Organizations with their members, campaigns and collabs. */
export async function readOrganizations(
  reading: Reading,
  values: Readonly<Record<string, unknown>>,
  users: Users,
): Promise<void> {
  for (const [handle, value] of Object.entries(values)) {
    const path = ['organizations', handle];
    reading.checkHandle(handle, path);
    const entry = readEntry(reading, path, value);
    const id = reading.number('organizations', entry?.columns.id, path);
    const members = readMembers(reading, { id, path }, isMapping(value) ? value.members : undefined, users);
    const home = entry && members && (await create(reading, { ...entry, id, path, members }));
    await readCampaigns(reading, path, home, listUnder(value, 'campaigns'));
    await readCollabs(reading, path, home, listUnder(value, 'collabs'));
  }
}

interface Outline extends Read {
  readonly id: number;
  readonly path: Path;
  /** At least one of them an admin. */
  readonly members: readonly Member[];
}

/** Made by its owner, as the API has it; by its first admin where the owner's account is gone (D26). */
async function create(reading: Reading, { fields, columns, id, path, members }: Outline): Promise<Home | null> {
  const { created_at = reading.nextMoment(), logo, logo_key, default_currency, default_countries } = columns;
  checkDefaults(reading, path, columns);
  const image = await reading.picture(logo, [...path, 'logo']);
  if (logo && !image) return null;
  if (fields.privacy_setting === 'private' && !image) {
    reading.fault([...path, 'logo'], 'A private organization needs a logo. Give a path or a data URL.');
    return null;
  }
  if (!reading.isImageKey(logo_key, image, [...path, 'logo_key'])) return null;

  const founder = members.find((member) => member.is_owner) ?? members.find((member) => member.role === 'admin');
  if (!founder) return null;
  const founderRow = memberRow(founder, created_at);
  const { has_active_subscription, updated_at, brief_template } = columns;
  const context = reading.context(founder.user_id, created_at, {
    organizations: {
      id,
      ...sent({ default_currency, default_countries, has_active_subscription, updated_at }),
      brief_template: brief_template ?? null,
    },
    memberships: founderRow,
    images: sent({ id: logo_key }),
  });
  const organization = await reading.attempt(path, () =>
    organizations.create(context, { fields, image, purge: false, prefill: null }),
  );
  if (!organization) return null;
  for (const member of members) {
    if (member !== founder) await reading.store.insert('memberships', memberRow(member, reading.nextMoment()));
  }
  return { organization, membership: founderRow };
}

/** The contract knows the form of codes; which ones exist is known here (D19). */
function checkDefaults(reading: Reading, path: Path, columns: Read['columns']): void {
  const { default_currency: currency, default_countries: countries = [] } = columns;
  if (currency !== undefined && !isCurrency(currency)) {
    reading.fault([...path, 'default_currency'], `Default currency must be one of ISO 4217: ${currency} is none.`);
  }
  const unknown = countries.filter((code) => !isCountry(code));
  if (unknown.length > 0) {
    const codes = unknown.join(', ');
    reading.fault([...path, 'default_countries'], `Default countries must be those of ISO 3166-1: ${codes} is none.`);
  }
}
