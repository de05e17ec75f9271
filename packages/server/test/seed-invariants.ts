import { expect } from 'vitest';
import type { Dump } from '../src/store/store.js';

const plainTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** What holds in every store that only ever saw the API's own acts. */
export function isConsistent({ tables, serials }: Dump): void {
  const users = new Set(tables.users.map((row) => row.id));
  const organizations = new Map(tables.organizations.map((row) => [row.id, row]));
  const images = new Map(tables.images.map((row) => [row.id, row]));

  for (const row of tables.memberships) {
    expect(users).toContain(row.user_id);
    expect(organizations.has(row.organization_id)).toBe(true);
    if (row.is_owner) expect(row.role).toBe('admin');
  }
  for (const row of tables.organizations) {
    const members = tables.memberships.filter((member) => member.organization_id === row.id);
    expect(members.filter((member) => member.role === 'admin')).not.toHaveLength(0);
    expect(members.filter((member) => member.is_owner).length).toBeLessThanOrEqual(1);
    if (row.privacy_setting === 'private') expect(row.logo_key).not.toBeNull();
    if (row.logo_key !== null) expect(images.get(row.logo_key)?.organization_id).toBe(row.id);
  }
  for (const row of tables.campaigns) {
    expect(organizations.has(row.organization_id)).toBe(true);
    expect(row.published_at === null).toBe(row.status === 'draft');
    expect(row.paused_at === null).toBe(row.status !== 'paused');
    expect(row.used_amount + row.unused_amount).toBe(row.total_budget_amount);
    expect(Math.min(row.used_amount, row.unused_amount)).toBeGreaterThanOrEqual(0);
    expect(row.min_payout_amount).toBeLessThanOrEqual(row.max_payout_amount);
    isDated(row);
  }
  for (const row of tables.collabs) {
    expect(organizations.has(row.organization_id)).toBe(true);
    expect(row.published_at === null).toBe(row.state === 'draft' || row.state === 'submitted_for_review');
    expect(row.approved_submissions_count).toBeLessThanOrEqual(row.submissions_count);
    expect(row.completed_count).toBeLessThanOrEqual(row.approved_submissions_count);
    if (row.banner_image_key !== null) {
      expect(images.get(row.banner_image_key)?.organization_id).toBe(row.organization_id);
    }
    isDated(row);
  }
  for (const row of [...tables.access_tokens, ...tables.social_accounts, ...tables.addresses]) {
    expect(users).toContain(row.user_id);
  }
  for (const table of ['access_tokens', 'organizations', 'campaigns', 'collabs', 'social_accounts'] as const) {
    const ids = tables[table].map((row) => Number(row.id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(serials[table] ?? 1).toBeGreaterThan(ids.reduce((most, id) => Math.max(most, id), 0));
  }
}

function isDated(row: { created_at: string; updated_at: string; published_at: string | null }): void {
  expect(row.created_at).toMatch(plainTime);
  expect(row.updated_at).toMatch(plainTime);
  expect(row.updated_at >= row.created_at).toBe(true);
  if (row.published_at !== null) expect(row.published_at >= row.created_at).toBe(true);
}
