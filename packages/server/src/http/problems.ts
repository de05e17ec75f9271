import { RuleError } from '../rules/errors.js';
import type { Problems } from '../rules/problems.js';
import { CommitUnknown, operatorMessage, StoreUnavailable } from '../store/store.js';

/** An error of the HTTP layer. Rules throw RuleError. */
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

/** Every 401 names the authentication scheme. */
export const unauthorized = (message: string) =>
  new HttpError(401, message, { 'WWW-Authenticate': 'Token realm="Application"' });

export const unknownRoute = (isPage: boolean) =>
  new HttpError(
    404,
    `There is nothing at this URL. Check ${isPage ? 'it, or start from your brands.' : 'the path. /openapi.json lists all endpoints.'}`,
  );

export const methodNotAllowed = (method: string, allowed: readonly string[]) =>
  new HttpError(405, `This URL does not support ${method}. Use ${allowed.join(', ')}.`, {
    Allow: allowed.join(', '),
  });

export const tooLarge = (what: string, bound: string) =>
  new HttpError(413, `The ${what} is larger than ${bound}. Send less.`);

export const unreadableForm = () =>
  badRequest('The form cannot be read. Let your HTTP client set the content type, including the boundary.');

export const tooManyFields = (most: number) => new HttpError(413, `The body has more than ${most} fields. Send fewer.`);

export const tooManyChunks = (most: number) =>
  new HttpError(413, `The body is sent in more than ${most} chunks. Send larger ones.`);

export const unsupportedType = (expected: string) =>
  new HttpError(415, `The content type of the body is not supported. Send ${expected}.`);

/** RFC 9110, 15.5.16: the response names the accepted encodings. */
export const unsupportedEncoding = (encoding: string) =>
  new HttpError(
    415,
    `The body is encoded (Content-Encoding: ${encoding}). Send it without encoding, and without this header.`,
    {
      'Accept-Encoding': 'identity',
    },
  );

export const tooManyRequests = (seconds: number) =>
  new HttpError(429, `Too many requests. Try again in ${seconds} s.`, { 'Retry-After': String(seconds) });

/** A rejected or failed request. */
export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A sentence, or the problems of fields. */
  readonly error: string | Problems;
}

const unavailable = (seconds: number, message: string): Problem => ({
  status: 503,
  headers: { 'Retry-After': String(seconds) },
  error: message,
});

const statuses = { 'not found': 404, forbidden: 403, invalid: 422, refused: 422 } as const;

/** Converts an error to a response. Details of unexpected errors go to `report`, and clients get a plain 500. */
export function problemOf(error: unknown, report: (error: unknown) => void): Problem {
  if (error instanceof RuleError) {
    const status = statuses[error.meaning];
    return { status, headers: {}, error: status === 422 ? error.problems : error.message };
  }
  if (error instanceof HttpError) return { status: error.status, headers: error.headers, error: error.message };
  report(error);
  if (error instanceof CommitUnknown)
    return unavailable(
      2,
      'The connection to the data store was lost while saving. The change may have been made. Check before retrying.',
    );
  const forOperator = operatorMessage(error);
  if (forOperator !== null) return unavailable(10, forOperator);
  if (error instanceof StoreUnavailable)
    return unavailable(2, 'The data store is temporarily unavailable. Try again in a few seconds.');
  const message = 'Something went wrong on the server. Try again. If it fails repeatedly, report the request id.';
  return { status: 500, headers: {}, error: message };
}
