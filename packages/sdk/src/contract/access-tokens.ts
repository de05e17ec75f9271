import * as z from 'zod/mini';
import { body, endpoint } from './endpoint.js';
import { filled, id, type Known, listed, representation, timestamp } from './fields.js';

export const accessToken = representation({
  /** Number of the token. */
  id,
  /** The secret. In the answer to the creation alone, never again (D21). */
  token: z.optional(z.string()),
  /** What its owner wrote to tell it apart. */
  description: z.string(),
  /** `write` may use every method, `read` only GET and HEAD (D20). */
  permission: listed('read', 'write'),
  /** When it was created. */
  created_at: timestamp,
});
/** A personal access token (api.md, Access token). */
export interface AccessToken extends Known<z.infer<typeof accessToken>> {}

/** A new access token, with its secret (api.md, Access tokens). */
export interface NewAccessToken extends AccessToken {
  token: string;
}

export const accessTokenFields = z.object({
  /** Free text to tell the token apart: 1 to 255 characters. */
  description: filled(),
  /** `write` for every method, `read` for GET and HEAD only. */
  permission: z.enum(['read', 'write'], 'must be read or write'),
});
export interface AccessTokenFields extends z.input<typeof accessTokenFields> {}

const many = '/me/access_tokens.json';

/** api.md, Access tokens. */
export const accessTokens = {
  /** Without their secrets, and without the revoked ones. */
  list: endpoint({ operation: 'accessTokens.list', method: 'GET', path: many, response: accessToken, paginated: true }),
  /** The secret, `token`, is in this answer alone. */
  create: endpoint({
    operation: 'accessTokens.create',
    method: 'POST',
    path: many,
    request: body('access_token', accessTokenFields),
    response: accessToken,
    status: 201,
  }),
  /** Revokes the token, also when it is the one in use. Requests with it get 401 from then on. */
  delete: endpoint({
    operation: 'accessTokens.delete',
    method: 'DELETE',
    path: '/me/access_tokens/:id.json',
    status: 204,
  }),
};
