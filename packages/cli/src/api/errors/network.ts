import { ConnectionError } from '@mkt/sdk';
import type { Io } from '../../io/io.js';

interface Problem {
  readonly message: string;
  readonly hints: readonly string[];
}

/** The codes along the chain of causes; an AggregateError carries one per address tried. */
const codesOf = (error: unknown): string[] => {
  if (typeof error !== 'object' || error === null) return [];
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown[] };
  return [...(typeof code === 'string' ? [code] : []), ...codesOf(cause), ...(errors ?? []).flatMap(codesOf)];
};

/** Whether the service certainly did not get the request that failed like this. */
export const neverReached = (error: unknown): boolean => error instanceof ConnectionError && !error.mayHaveArrived;

/** The words of what failed first: what wraps it says no more than that something did. */
const innermost = (error: Error): string => (error.cause instanceof Error ? innermost(error.cause) : error.message);

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|ALTNAME/;

/** Why a connection failed, in words, and what helps. */
export function connectionProblem(error: Error, baseUrl: string, env: Io['env']): Problem {
  const codes = codesOf(error);
  const has = (...wanted: string[]) => wanted.some((code) => codes.includes(code));
  const proxy = env.HTTPS_PROXY || env.https_proxy || env.HTTP_PROXY || env.http_proxy;
  const proxyHint = proxy ? ['A proxy is set (HTTPS_PROXY, HTTP_PROXY): is it right?'] : [];
  if (has('ECONNREFUSED')) {
    return {
      message: `Nothing answers at ${baseUrl}.`,
      hints: ['Is the address right? mkt auth status', ...proxyHint],
    };
  }
  if (has('ENOTFOUND', 'EAI_AGAIN')) {
    return {
      message: `The host of ${baseUrl} was not found.`,
      hints: ['Is the address right, and is there a network? mkt auth status', ...proxyHint],
    };
  }
  const certificate = codes.find((code) => CERTIFICATE.test(code));
  if (certificate !== undefined) {
    return {
      message: `The certificate of ${baseUrl} is not trusted (${certificate}).`,
      hints: ['Behind a company proxy: NODE_EXTRA_CA_CERTS=/path/to/company-ca.pem'],
    };
  }
  const reason = codes[0] ?? innermost(error);
  if (/redirect/i.test(reason)) {
    return { message: `${baseUrl} redirects without end.`, hints: ['Is the address right? mkt auth status'] };
  }
  return { message: `The connection to ${baseUrl} failed (${reason}).`, hints: ['Repeat in a while', ...proxyHint] };
}
