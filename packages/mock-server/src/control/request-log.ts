import type { Exchange as AnyExchange } from '@mkt/server';
import { Exchange, masked, randomText, sentencesOf } from '@mkt/server/extend';
import { callOf, siteOf } from './call-sites.js';
import { ControlError, checked, reported } from './errors.js';
import { lineOf, passes, type RequestFilter, requestFilter, type WaitOptions } from './matching.js';
import type { Mistake, Strict } from './mistake-kinds.js';

/** A request that reached the API. Its token is not shown, even if the URL contains it. */
export interface LoggedRequest {
  /** Its `X-Request-Id`; one of its own if it was not sent. */
  readonly id: string;
  /** When it arrived, by the marketplace's clock. */
  readonly at: string;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** The endpoint, named as in the SDK; null if there is none at this path. */
  readonly operation: string | null;
  /** The id of the sender; null if the token was missing, unknown or not checked. */
  readonly user: string | null;
  /** The headers that the API evaluates. */
  readonly headers: Readonly<Partial<Record<'accept' | 'content-type' | 'if-none-match', string>>>;
  /**
   * The JSON body; absent if there was none, or if the request was rejected before the body was read. A string if it is
   * nested too deeply to be serialized.
   */
  readonly body?: unknown;
  /** null if the connection was closed without a response, or the request was not sent. */
  readonly status: number | null;
  /** Milliseconds until the response. */
  readonly duration: number;
  /** The id of the fault that was applied. */
  readonly fault: string | null;
  /** The text of the error in the response. */
  readonly error: string | null;
  /** Why clients of the API should not send this request, or null. */
  readonly unexpected: string | null;
  /** With `strict`: the same as data. */
  readonly mistakes: readonly Mistake[];
  /** With `strict` in the mock: the line that sent it, and up to two that called it, if they are known. */
  readonly call: string | null;
}

/** The last thousand requests that reached the API. */
export interface Requests {
  /** In the order of their responses. @throws {ControlError} for a filter that can never match */
  list(filter?: RequestFilter): readonly LoggedRequest[];
  /**
   * The first request that matches, sent earlier or from now on.
   * @throws {ControlError} if none comes in time
   */
  waitFor(filter?: RequestFilter, options?: WaitOptions): Promise<LoggedRequest>;
  clear(): void;
}

const maxEntries = 1000;

/** Sentences begin with the name of their field. */
const errorText = ({ error }: NonNullable<AnyExchange['problem']>): string =>
  typeof error === 'string' ? error : Object.values(sentencesOf(error)).flat().join(' ');

/** What the controls know about a request. */
interface Marks {
  /** The fault that was applied. */
  readonly fault: string | null;
  /** Why the request is unexpected, unless that follows from its response; empty if it is allowed. */
  readonly failure: string | undefined;
  readonly mistakes: readonly Mistake[];
}

const headersOf = (exchange: Exchange) =>
  (['accept', 'content-type', 'if-none-match'] as const).map((name) => [name, exchange.header(name)] as const);

/** A request is converted when it is read, because most are never read. A function here that uses `exchange` would keep it alive. */
function recorded(
  exchange: Exchange,
  status: number | null,
  unexpected: string | null,
  arrivedAt: number,
  duration: number,
  { fault, mistakes }: Marks,
): () => LoggedRequest {
  const { requestId: id, method, operation, userId: user, sent: body, problem, request } = exchange;
  const { url } = request;
  const headers = headersOf(exchange);
  const site = siteOf(request);
  return () => ({
    id,
    at: new Date(arrivedAt).toISOString(),
    method,
    path: masked(url.slice(url.indexOf('/', url.indexOf('://') + 3))),
    operation,
    user,
    headers: Object.fromEntries(headers.filter(([, value]) => value !== null)),
    ...(body !== undefined && { body }),
    ...{ status, duration, fault, error: problem && masked(errorText(problem)), unexpected, mistakes },
    call: callOf(site),
  });
}

type RequestListener = (request: LoggedRequest, response: Response) => void;

export class RequestLog implements Requests {
  /** A ring buffer: the next entry replaces the oldest one. */
  #entries: (() => LoggedRequest)[] = [];
  #next = 0;
  readonly #listeners = new Set<RequestListener>();

  /** @param pages Whether pages are served too: then requests for pages are expected. */
  constructor(private readonly pages: boolean) {}

  list(filter: RequestFilter = {}): readonly LoggedRequest[] {
    const inOrder = [...this.#entries.slice(this.#next), ...this.#entries.slice(0, this.#next)];
    return inOrder.map((read) => read()).filter(passes(checked('filter', requestFilter, filter)));
  }

  async waitFor(filter?: RequestFilter, options?: WaitOptions): Promise<LoggedRequest> {
    return (await import('./on-demand.js')).waitForRequest(this, filter, options);
  }

  /** Calls the listener with each request, when its response is sent. Returns a function that ends this. */
  subscribe(listener: RequestListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  clear(): void {
    this.#entries = [];
    this.#next = 0;
  }

  add(exchange: Exchange, response: Response, arrivedAt: number, milliseconds: number, marks: Marks): void {
    const status = exchange.dropped ? null : response.status;
    const why = marks.failure ?? (marks.fault === null && this.#whyUnexpected(exchange, status));
    const read = recorded(exchange, status, why || null, arrivedAt, milliseconds, marks);
    this.#entries[this.#next] = read;
    this.#next = (this.#next + 1) % maxEntries;
    for (const listener of this.#listeners) reported(() => listener(read(), response));
  }

  /** Adds a request that the mock's guard did not let through. */
  addUnsent(request: Request, arrivedAt: number, why: string, strict: Strict | undefined): void {
    if (strict?.allow.includes('wrong-host')) return;
    const exchange = new Exchange(request, undefined, { cors: 'off', newRequestId: () => randomText(9), Response });
    const mistakes = strict ? [{ kind: 'wrong-host' as const, given: exchange.url.origin, instead: null }] : [];
    this.add(exchange, exchange.drop(), arrivedAt, 0, { fault: null, failure: why, mistakes });
  }

  #whyUnexpected({ operation, wantsJson, problem }: Exchange, status: number | null): string | null {
    if (operation === null && (status === 404 || status === 405)) return 'The API has no such endpoint.';
    if (operation !== null && !wantsJson && !this.pages)
      return 'The header Accept: application/json is missing, so the response is a page.';
    if (status === 415) return problem && errorText(problem);
    return status === 500 ? 'The marketplace failed.' : null;
  }
}

/** For the end of a test. @throws {ControlError} if there were unexpected requests, with the last `shown` of all */
export function assertNone(requests: readonly LoggedRequest[], shown = 0): void {
  const unexpected = requests.filter((request) => request.unexpected !== null);
  if (unexpected.length === 0) return;
  const lines = unexpected.map(
    ({ call, unexpected: why, ...request }) => `  ${lineOf(request)}: ${why}${call === null ? '' : `\n    at ${call}`}`,
  );
  const last = shown === 0 ? [] : requests.slice(-shown);
  const log = last.map(({ error, ...request }) => `  ${lineOf(request)}${error === null ? '' : `: ${error}`}`);
  if (log.length > 0) log.unshift('The last requests:');
  throw new ControlError([`${unexpected.length} unexpected request(s):`, ...lines, ...log].join('\n'));
}

/** @throws {ControlError} if there were unexpected requests */
export async function verifyAndReset(
  control: { readonly requests: Pick<Requests, 'list'>; reset(): Promise<void> },
  traced: Promise<unknown> | undefined,
): Promise<void> {
  await traced;
  try {
    assertNone(control.requests.list(), 10);
  } finally {
    await control.reset();
  }
}
