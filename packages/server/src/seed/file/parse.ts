import { sent } from '../../rules/changes.js';
import { fieldLabel } from '../../rules/errors.js';
import { memoryStore } from '../../store/memory.js';
import type { Dump } from '../../store/store.js';
import { SeedError } from '../seed-error.js';
import { fileEntry, nextIdsEntry } from './entries.js';
import { readOrganizations } from './organizations.js';
import { isMapping, Reading, type ReadingOptions, under } from './reading.js';
import { Source } from './source.js';
import { readUsers } from './users.js';

export interface ParsedSeed {
  readonly dump: Dump;
  /** The secrets of tokens that work, by `<handle>_<permission>`; a second one of that name ends in `_2`. */
  readonly tokens: Readonly<Record<string, string>>;
}

/**
 * Reads a seed: YAML, or JSON. It is written through the API's own rules into a store of its own, so that it can hold
 * nothing that the API would refuse, with the API's defaults for what it leaves out.
 * @throws {SeedError} with every fault and its line.
 */
export async function parseSeed(text: string, options: ReadingOptions): Promise<ParsedSeed> {
  const source = new Source(text);
  const store = memoryStore();
  const { tokens, nextIds } = await store.transact((writer) => read(new Reading(source, writer, options)));
  const { tables, serials } = await store.dump();
  return { dump: { tables, serials: { ...serials, ...nextIds } }, tokens };
}

async function read(reading: Reading) {
  const { value } = reading.source;
  if (!isMapping(value)) {
    reading.fault([], 'A seed begins with "users:", and the people under it.');
    throw new SeedError(reading.faults);
  }
  const { columns } = reading.entry(fileEntry, [], value) ?? {};
  const users = isMapping(value.users) ? value.users : {};
  const organizations = isMapping(value.organizations) ? value.organizations : {};
  numberAll(reading, Object.values(users), Object.values(organizations));
  const read = await readUsers(reading, users);
  await readOrganizations(reading, organizations, read);
  const nextIds = readNextIds(reading, columns?.next_ids);
  if (reading.faults.length > 0) throw new SeedError(reading.faults);
  return { tokens: read.tokens, nextIds };
}

/** Looks ahead at the ids that are given, so that counting passes them. */
function numberAll(reading: Reading, users: readonly unknown[], organizations: readonly unknown[]): void {
  reading.numberRows('access_tokens', under(users, 'tokens'));
  reading.numberRows('social_accounts', under(users, 'social_accounts'));
  reading.numberRows(
    'addresses',
    users.map((user) => (isMapping(user) ? user.address : undefined)),
  );
  reading.numberRows('organizations', organizations);
  reading.numberRows('memberships', under(organizations, 'members'), 'position');
  reading.numberRows('campaigns', under(organizations, 'campaigns'));
  reading.numberRows('collabs', under(organizations, 'collabs'));
}

/** Where counting goes on: past the rows, and past those that are gone and whose ids are not used again. */
function readNextIds(reading: Reading, value: unknown): Dump['serials'] {
  if (value === undefined || value === null) return {};
  const nextIds = sent(reading.entry(nextIdsEntry, ['next_ids'], value)?.columns ?? {});
  for (const [table, next] of Object.entries(nextIds)) {
    const last = reading.lastNumber(table as keyof typeof nextIds);
    if (next <= last) reading.fault(['next_ids', table], `${fieldLabel(table)} go up to ${last}: this must be more.`);
  }
  return nextIds;
}
