import type { ApiPromise } from '../api-promise.js';
import { type Membership, type MembershipChanges, members } from '../contract/members.js';
import type { CallOptions, ListOptions } from '../options.js';
import type { ListPromise } from '../pagination.js';
import type { Id } from '../transport/call.js';
import { Resource } from './resource.js';

/** The people of an organization and their roles (api.md, Memberships). */
export class Members extends Resource {
  /** All memberships, admins first (D4). */
  list(organization: Id, options?: ListOptions): ListPromise<Membership> {
    return this.pages(members.list, [organization], options);
  }

  /**
   * Gives a member another role. Needs the admin role.
   * @throws PermissionError for the owner, who cannot be demoted; ValidationError for the last admin (D25).
   */
  update(organization: Id, id: Id, fields: MembershipChanges, options?: CallOptions): ApiPromise<Membership> {
    return this.write(members.update, [organization, id], fields, options);
  }

  /**
   * Removes a member; removing oneself leaves the organization. Needs the admin role or being that member.
   * @throws PermissionError for the owner; ValidationError for the last admin and for a sole member (D25).
   */
  remove(organization: Id, id: Id, options?: CallOptions): ApiPromise<void> {
    return this.call(members.remove, [organization, id], options);
  }
}
