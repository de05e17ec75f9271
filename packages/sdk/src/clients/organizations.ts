import type { ApiPromise } from '../api-promise.js';
import { organizations } from '../contract/organizations.js';
import type { Organization, OrganizationChanges, OrganizationFields } from '../contract/types.generated.js';
import type { Id, Writable } from '../contract/types.js';
import type { CallOptions, ListOptions, UploadOptions, WriteOptions } from '../options.js';
import type { ListPromise } from '../pagination.js';
import type { FileInput } from '../transport/files.js';
import { ResourceClient } from './resource-client.js';

/** The file of a new or changed organization, in addition to its fields. */
export interface LogoField {
  /** PNG, JPEG, WebP or GIF, up to 5 MiB. It makes the request a multipart one. */
  logo?: FileInput | undefined;
}

/** Organizations, which are brands. */
export class Organizations extends ResourceClient {
  /** The organizations that the token's user belongs to. */
  list(options?: ListOptions): ListPromise<Organization> {
    return this.pages(organizations.list, [], options);
  }

  /** One organization. @throws NotFoundError if the user is not a member. */
  get(id: Id, options?: CallOptions): ApiPromise<Organization> {
    return this.call(organizations.get, [id], options);
  }

  /** Creates an organization; the token's user becomes its owner. A private one needs a logo. */
  create(
    fields: Writable<OrganizationFields & LogoField, Organization>,
    options?: UploadOptions,
  ): ApiPromise<Organization> {
    return this.call(organizations.create, [], options, fields);
  }

  /** Changes an organization; `purge_logo: '1'` removes the logo. Needs the admin role. */
  update(
    id: Id,
    fields: Writable<OrganizationChanges & LogoField, Organization>,
    options?: UploadOptions & WriteOptions,
  ): ApiPromise<Organization> {
    return this.call(organizations.update, [id], options, fields);
  }

  /**
   * Deletes an organization and everything in it. Only its owner may.
   * @throws ValidationError while it has an active subscription.
   */
  delete(id: Id, options?: WriteOptions): ApiPromise<void> {
    return this.call(organizations.delete, [id], options);
  }
}
