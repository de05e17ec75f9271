import { RuleError } from '../rules/errors.js';
import {
  CommitUnknown,
  descriptorMessage,
  lacksDescriptors,
  StorageFailure,
  StoreUnavailable,
} from '../store/store.js';

/** What HTTP itself says no with: what a rule says no with is a RuleError. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

export const badRequest = (message: string) => new HttpError(400, message);

/** Every 401 says which scheme it wants (D8; api.md, Authentication rule 7). */
export const unauthorized = (message: string) =>
  new HttpError(401, message, { 'WWW-Authenticate': 'Token realm="Application"' });

export const unknownRoute = () =>
  new HttpError(404, 'There is nothing at this address. Check the path; the API document lists every endpoint.');

export const methodNotAllowed = (method: string, allowed: readonly string[]) =>
  new HttpError(405, `This address does not answer ${method}. Use ${allowed.join(', ')}.`, {
    Allow: allowed.join(', '),
  });

export const tooLarge = (what: string, bound: string) =>
  new HttpError(413, `The ${what} is larger than ${bound}. Send less.`);

export const unreadableForm = () =>
  badRequest('The form cannot be read. Let your HTTP client set the content type, boundary included.');

export const tooManyFields = (most: number) => new HttpError(413, `The body has more than ${most} fields. Send fewer.`);

export const unsupportedType = (expected: string) =>
  new HttpError(415, `The body's content type is not supported here. Send ${expected}.`);

/** RFC 9110, 15.5.16: the answer says which encodings are taken. */
export const unsupportedEncoding = (encoding: string) =>
  new HttpError(415, `The body is encoded (Content-Encoding: ${encoding}). Send it as it is, without that header.`, {
    'Accept-Encoding': 'identity',
  });

export const tooManyRequests = (seconds: number) =>
  new HttpError(429, `Too many requests. Try again in ${seconds} s.`, { 'Retry-After': String(seconds) });

/** A failed request as it is told: `{"errors": {...}}` for 422, `{"error": "..."}` for all else (D6). */
export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly error: string } | { readonly errors: Readonly<Record<string, readonly string[]>> };
}

const statuses = { 'not found': 404, forbidden: 403, invalid: 422, refused: 422 } as const;

/** Anything that was thrown, as the client may see it. What is not ours to tell becomes a plain 500, which `report` hears of. */
export function problemOf(error: unknown, report: (error: unknown) => void): Problem {
  if (error instanceof RuleError) {
    const status = statuses[error.meaning];
    const body = status === 422 ? { errors: error.fields } : { error: error.message };
    return { status, headers: {}, body };
  }
  if (error instanceof HttpError)
    return { status: error.status, headers: error.headers, body: { error: error.message } };
  report(error);
  if (error instanceof CommitUnknown) {
    const message =
      'The data store was lost while it kept this change: it may have been made, or not. Look before you send it again.';
    return { status: 503, headers: { 'Retry-After': '2' }, body: { error: message } };
  }
  const storage = error instanceof StorageFailure ? error.message : lacksDescriptors(error) ? descriptorMessage : null;
  if (storage !== null) return { status: 503, headers: { 'Retry-After': '10' }, body: { error: storage } };
  if (error instanceof StoreUnavailable) {
    const message = 'The data store cannot be reached at the moment. Try again in a few seconds.';
    return { status: 503, headers: { 'Retry-After': '2' }, body: { error: message } };
  }
  const message = 'Something went wrong on the server. Try again; if it stays so, report the request id.';
  return { status: 500, headers: {}, body: { error: message } };
}
