import { HttpError, type Marketplace, type Middleware, ResponseParseError } from '@mkt/sdk';
import { clientFor } from '../../api/http/client.js';
import type { Context } from '../../context/context.js';

/** A response of any status. */
export interface ServiceResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Options {
  /** Extra attempts after 429, 502, 503, 504 and a broken connection. */
  readonly retries: number;
  /** Called after each attempt with the number of attempts so far. */
  readonly onRequest?: (requests: number) => void;
}

/**
 * Reads from the service with GET and HEAD, through the SDK. Every status is a response; redirects are not followed. The
 * SDK's errors for timeouts and broken connections pass through.
 */
export class ServiceReader {
  #client!: Marketplace;
  readonly #token: string | undefined;
  readonly #interrupted: AbortSignal;
  #requests = 0;

  /** `token` is undefined where none is known: every request is then anonymous. */
  static async open(
    context: Context,
    baseUrl: string,
    token: string | undefined,
    { retries, onRequest }: Options,
  ): Promise<ServiceReader> {
    const reader = new ServiceReader(token, context.io.interrupted);
    const eachAttempt: Middleware = (request, next) => {
      reader.#requests += 1;
      onRequest?.(reader.#requests);
      return next(new Request(request, { redirect: 'manual' }));
    };
    const client = await clientFor(context, baseUrl, token ?? 'none', [eachAttempt]);
    const retry = { limit: retries, minDelay: 100, maxRetryAfter: 30_000 };
    reader.#client = client.withOptions({ retry, totalTimeout: 120_000 });
    return reader;
  }

  private constructor(token: string | undefined, interrupted: AbortSignal) {
    this.#token = token;
    this.#interrupted = interrupted;
  }

  /** Attempts so far. */
  get requests(): number {
    return this.#requests;
  }

  /** `headers` override the usual ones; null removes one. */
  async read(
    method: 'GET' | 'HEAD',
    path: string,
    headers: Readonly<Record<string, string | null>> = {},
  ): Promise<ServiceResponse> {
    const anonymous = this.#token === undefined && { authorization: null };
    try {
      const { response } = await this.#client
        .request(method, path, { headers: { ...headers, ...anonymous }, signal: this.#interrupted })
        .withResponse();
      return { status: response.status, headers: response.headers, text: this.#redact(await response.text()) };
    } catch (error) {
      if (error instanceof HttpError || error instanceof ResponseParseError)
        return { status: error.status, headers: error.headers, text: error.bodyText };
      throw error;
    }
  }

  #redact(text: string): string {
    return this.#token === undefined ? text : text.replaceAll(this.#token, '[token]');
  }
}

/** The value in a JSON body; undefined where it is not JSON. */
export function jsonIn({ text }: ServiceResponse): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/** What a body is, in a word or two. */
export function formatOfBody(response: ServiceResponse): string {
  const { text } = response;
  if (text.trim() === '') return 'nothing';
  if (jsonIn(response) !== undefined) return 'JSON';
  return /^\s*<(!doctype|html|\w+[\s>])/i.test(text) ? 'an HTML page' : 'plain text';
}
