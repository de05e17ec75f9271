import type { ApiPromise } from '../api-promise.js';
import { members } from '../contract/members.js';
import type { Membership, MembershipChanges } from '../contract/types.generated.js';
import type { Id, Writable } from '../contract/types.js';
import type { CallOptions, ListOptions } from '../options.js';
import type { ListPromise } from '../pagination.js';
import { ResourceClient } from './resource-client.js';

/** The members of an organization and their roles. */
export class Members extends ResourceClient {
  /** All memberships, admins first. */
  list(organization: Id, options?: ListOptions): ListPromise<Membership> {
    return this.pages(members.list, [organization], options);
  }

  /**
   * Gives a member another role. Needs the admin role.
   * @throws PermissionError for the owner, who cannot be demoted; ValidationError for the last admin.
   */
  update(
    organization: Id,
    id: Id,
    fields: Writable<MembershipChanges, Membership>,
    options?: CallOptions,
  ): ApiPromise<Membership> {
    return this.call(members.update, [organization, id], options, fields);
  }

  /**
   * Removes a member; removing yourself leaves the organization. Needs the admin role, or to be that member.
   * @throws PermissionError for the owner; ValidationError for the last admin and for a sole member.
   */
  remove(organization: Id, id: Id, options?: CallOptions): ApiPromise<void> {
    return this.call(members.remove, [organization, id], options);
  }
}
