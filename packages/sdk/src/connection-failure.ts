import { isObject } from './is-object.js';

/** Properties of a failed connection's errors, along their chains of causes; they differ between runtimes. */
interface Failure {
  code?: unknown;
  message?: unknown;
  name?: unknown;
  syscall?: unknown;
  cause?: unknown;
  /** Of an `AggregateError`: one for each address of the host that was tried. */
  errors?: unknown;
}

const asFailure = (error: unknown): Failure | undefined => (isObject(error) ? error : undefined);

/** The code of a failed connection (`ECONNREFUSED`), wherever in the chain of causes the runtime put it. */
export function failureCode(error: unknown): string | undefined {
  const failure = asFailure(error);
  return typeof failure?.code === 'string' ? failure.code : failure && failureCode(failure.cause);
}

/**
 * Removes from an error the bytes that Node's HTTP parser could not read: they may contain the token of the request, or
 * another one.
 */
export function removeUnparsedBytes(error: unknown): void {
  for (let failure = asFailure(error); failure; failure = asFailure(failure.cause))
    if (failure.name === 'HTTPParserError') Reflect.deleteProperty(failure, 'data');
}

/** No such host, connection refused, no connection in time, or a certificate rejected before anything was sent. */
const unconnected = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$|CERT|LEAF_SIGNATURE/;

/** Deno has no codes: its message for all of the above. */
const unconnectedInDeno = 'client error (Connect)';

/** Whether no connection was made, so that no byte of the request can have reached the server. */
export function neverConnected(error: unknown): boolean {
  const failure = asFailure(error);
  if (!failure) return false;
  const { code, message, syscall, cause, errors } = failure;
  return (
    syscall === 'connect' ||
    (typeof code === 'string' && unconnected.test(code)) ||
    (typeof message === 'string' && message.includes(unconnectedInDeno)) ||
    neverConnected(cause) ||
    (Array.isArray(errors) && errors.some(neverConnected))
  );
}
