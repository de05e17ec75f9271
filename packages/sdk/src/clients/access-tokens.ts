import type { ApiPromise } from '../api-promise.js';
import { accessTokens } from '../contract/access-tokens.js';
import type { ClientEndpoint } from '../contract/endpoint.js';
import type { AccessToken, AccessTokenFields, NewAccessToken } from '../contract/types.generated.js';
import type { Id } from '../contract/types.js';
import type { CallOptions, ListOptions } from '../options.js';
import type { ListPromise } from '../pagination.js';
import { ResourceClient } from './resource-client.js';

/** The signed-in user's personal access tokens. */
export class AccessTokens extends ResourceClient {
  /** The tokens that are not revoked, without their secrets. */
  list(options?: ListOptions): ListPromise<AccessToken> {
    return this.pages(accessTokens.list, [], options);
  }

  /** Creates a token. Its secret, `token`, is only in this response. */
  create(fields: AccessTokenFields, options?: CallOptions): ApiPromise<NewAccessToken> {
    return this.call(accessTokens.create as ClientEndpoint<NewAccessToken>, [], options, fields);
  }

  /** Revokes a token, which may be the one in use. */
  delete(id: Id, options?: CallOptions): ApiPromise<void> {
    return this.call(accessTokens.delete, [id], options);
  }
}
