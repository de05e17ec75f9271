import type { ApiPromise } from '../api-promise.js';
import { socialAccounts } from '../contract/social-accounts.js';
import type { SocialAccount, SocialAccountFields } from '../contract/types.generated.js';
import type { Id } from '../contract/types.js';
import type { CallOptions, ListOptions, WriteOptions } from '../options.js';
import type { ListPromise } from '../pagination.js';
import { ResourceClient } from './resource-client.js';

/** The signed-in user's own accounts on platforms. */
export class SocialAccounts extends ResourceClient {
  /** All accounts of the token's user. */
  list(options?: ListOptions): ListPromise<SocialAccount> {
    return this.pages(socialAccounts.list, [], options);
  }

  /** One account. */
  get(id: Id, options?: CallOptions): ApiPromise<SocialAccount> {
    return this.call(socialAccounts.get, [id], options);
  }

  /** Connects an account, `pending` at first. @throws ValidationError if a user has connected it already. */
  create(fields: SocialAccountFields, options?: CallOptions): ApiPromise<SocialAccount> {
    return this.call(socialAccounts.create, [], options, fields);
  }

  /** Disconnects an account. */
  delete(id: Id, options?: WriteOptions): ApiPromise<void> {
    return this.call(socialAccounts.delete, [id], options);
  }
}
