import {
  AuthenticationError,
  BadRequestError,
  HttpError,
  NotFoundError,
  PermissionError,
  PreconditionFailedError,
  RateLimitError,
  type ResponseDetails,
  ServerError,
  ValidationError,
} from '../errors.js';
import type { Explanation } from './explain.js';
import { retryAfterMs } from './send.js';

const errorClasses: Readonly<Record<number, typeof HttpError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  412: PreconditionFailedError,
  422: ValidationError,
  429: RateLimitError,
};

/** What explains error responses. */
export const loadExplain = () => import('./explain.js');

/**
 * The error for a response that is not a success.
 *
 * @param leftOrigin - the origin of the request, if redirects led to another one.
 * @param isSignIn - whether the server redirected the request to its sign-in page instead of doing it.
 */
export async function httpError(details: ResponseDetails, leftOrigin?: string, isSignIn?: boolean): Promise<HttpError> {
  const { status, headers, bodyText: body, method, url } = details;
  const asked = { leftOrigin, isSignIn, retryAfterMs: retryAfterMs(headers) };
  const { message, fieldErrors, fieldReasons, ...said }: Explanation = await loadExplain().then(
    ({ explain }) => explain(details, asked),
    // A browser may be offline since the response arrived.
    () => ({ body, fieldErrors: {}, fieldReasons: {}, messages: [], message: `${method} ${url} returned ${status}.` }),
  );
  const ErrorClass = isSignIn
    ? AuthenticationError
    : (errorClasses[status] ?? (status >= 500 ? ServerError : HttpError));
  return new ErrorClass(message, {
    ...details,
    ...said,
    ...(status === 422 && { fieldErrors, fieldReasons }),
    ...(status === 429 && { retryAfterMs: asked.retryAfterMs }),
  });
}
