import * as z from 'zod/mini';
import { endpointsOf, wrappedIn } from './endpoint.js';
import { id, type KnownFields, listed, representation, timestamp } from './fields.js';

export const accessToken = representation({
  /** Number of the token. */
  id,
  /** The secret. Only in the response to the creation. */
  token: z.optional(z.string()),
  /** Description by its owner. */
  description: z.string(),
  /** `write` may use every method, `read` only GET and HEAD. */
  permission: listed('read', 'write'),
  /** When it was created. */
  created_at: timestamp,
});
/** A personal access token. */
export interface AccessToken extends KnownFields<z.infer<typeof accessToken>> {}

/** A new access token, with its secret. */
export interface NewAccessToken extends AccessToken {
  token: string;
}

const { list, create, remove } = endpointsOf('accessTokens', '/me/access_tokens.json', '/me/access_tokens/:id.json');

export const accessTokens = {
  /** Without their secrets, and without the revoked ones. */
  list: list({ response: accessToken }),
  /** The secret, `token`, is only in this response. */
  create: create({ request: wrappedIn('access_token'), response: accessToken }),
  /** Revokes the token, also when it is the one in use. Requests with it get 401 from then on. */
  delete: remove(),
};
