import * as z from 'zod/mini';
import { endpointsOf, wrappedIn } from './endpoint.js';
import { type KnownFields, listed, representation, timestamp } from './fields.js';
import { roles } from './states.js';

const memberUser = representation({
  /** Opaque identifier of the user. */
  id: z.string(),
  /** Full name. */
  name: z.string(),
  /** E-mail address. */
  email: z.string(),
});
/** The person behind a membership. */
export interface MemberUser extends KnownFields<z.infer<typeof memberUser>> {}

export const membership = representation({
  /** Opaque identifier of the membership. */
  id: z.string(),
  /** `member` or `admin`. */
  role: listed(...roles),
  /** True for the owner of the organization, who cannot be removed or demoted. */
  is_owner: z.boolean(),
  /** When the user joined. */
  created_at: timestamp,
  /** When the role last changed. */
  updated_at: timestamp,
  /** The person behind the membership. */
  user: memberUser as unknown as z.ZodMiniType<MemberUser>,
});
/** A person's place in an organization. */
export interface Membership extends KnownFields<z.infer<typeof membership>> {}

const { list, update, remove } = endpointsOf(
  'members',
  '/organizations/:organization_id/members.json',
  '/organizations/:organization_id/members/:id.json',
);

export const members = {
  list: list({ role: 'member', response: membership }),
  /**
   * Only the role changes. The owner (403) and the last admin (422) cannot be demoted. The same role again is fine.
   */
  update: update({ role: 'admin', request: wrappedIn('membership'), response: membership }),
  /**
   * Admins remove members; anyone may remove themself, which leaves the organization. The owner (403), the last admin and
   * the only member (422) stay.
   */
  remove: remove({ operation: 'members.remove', role: 'admin-or-self' }),
};
