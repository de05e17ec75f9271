import * as z from 'zod/mini';
import type { Exchange } from '../http/exchange.js';
import { masked } from '../http/masked.js';
import { ControlError, checked } from './errors.js';
import { pathMatches, sought } from './matching.js';

/** One request that reached the API. Its token is not kept, not even where it stands in the address. */
export interface LoggedRequest {
  /** Its `X-Request-Id`. */
  readonly id: string;
  /** When it came, by the marketplace's clock. */
  readonly at: string;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** The endpoint, named as in the SDK; null where none is at that path. */
  readonly operation: string | null;
  /** Who sent it; null where the token was missing, unknown, or not looked at. */
  readonly user: string | null;
  /** Those that the API goes by. */
  readonly headers: Readonly<Partial<Record<'accept' | 'content-type' | 'if-none-match', string>>>;
  /**
   * The JSON that was sent; absent where there was none, or where the request was refused before it was read. A text in
   * its place where it nests deeper than JSON can be written out again.
   */
  readonly body?: unknown;
  /** null: the connection was broken. */
  readonly status: number | null;
  /** Milliseconds until the answer. */
  readonly duration: number;
  /** The id of the fault that struck it. */
  readonly fault: string | null;
  /** Why no client of the API should have sent it, or null. */
  readonly unexpected: string | null;
}

/** Which requests: those that have all of this. */
export interface RequestFilter {
  /** The name of the endpoint, as in the SDK: `campaigns.create`. */
  readonly operation?: string | undefined;
  /** In upper or lower case. */
  readonly method?: string | undefined;
  /** Without the query, with or without `.json`; `*` stands for anything. */
  readonly path?: string | undefined;
  readonly status?: number | undefined;
  /** The id of who sent it. */
  readonly user?: string | undefined;
  /** Only those that no client of the API should have sent. */
  readonly unexpected?: boolean | undefined;
}

const requestFilter = z.strictObject(
  {
    ...sought,
    status: z.optional(
      z
        .number('must be a number')
        .check(z.minimum(100, 'must be a status from 100 to 599'), z.maximum(599, 'must be a status from 100 to 599')),
    ),
    unexpected: z.optional(z.boolean('must be true or false')),
  },
  'takes operation, method, path, status, user and unexpected',
);

/** The requests that reached the API: the last thousand. */
export interface Requests {
  /** In the order in which they were answered. @throws {ControlError} for a filter that can never fit */
  list(filter?: RequestFilter): readonly LoggedRequest[];
  clear(): void;
}

const kept = 1000;

const pathAndQuery = (url: string): string => url.slice(url.indexOf('/', url.indexOf('://') + 3));

const pathOf = ({ path }: LoggedRequest): string => path.split('?', 1)[0] as string;

const passes =
  ({ operation, method, path, status, user, unexpected }: RequestFilter) =>
  (request: LoggedRequest): boolean =>
    (operation === undefined || request.operation === operation) &&
    (method === undefined || request.method === method.toUpperCase()) &&
    (path === undefined || pathMatches(path, pathOf(request))) &&
    (status === undefined || request.status === status) &&
    (user === undefined || request.user === user) &&
    (unexpected === undefined || (request.unexpected !== null) === unexpected);

/** A request as it is stored: made as readers see it when somebody asks, because most are never read. */
interface Entry {
  readonly id: string;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly operation: string | null;
  readonly user: string | null;
  readonly accept: string | null;
  readonly contentType: string | null;
  readonly ifNoneMatch: string | null;
  readonly body: unknown;
  readonly status: number | null;
  readonly duration: number;
  readonly fault: string | null;
  readonly unexpected: string | null;
}

const shown = ({ at, accept, contentType, ifNoneMatch, body, ...entry }: Entry): LoggedRequest => ({
  ...entry,
  at: new Date(at).toISOString(),
  headers: {
    ...(accept !== null && { accept }),
    ...(contentType !== null && { 'content-type': contentType }),
    ...(ifNoneMatch !== null && { 'if-none-match': ifNoneMatch }),
  },
  ...(body !== undefined && { body }),
});

export class RequestLog implements Requests {
  /** A ring: the next one replaces the oldest. */
  #entries: Entry[] = [];
  #next = 0;

  /** @param pages Whether pages are a part of what is served: then a request for one is nothing unexpected. */
  constructor(private readonly pages: boolean) {}

  list(filter: RequestFilter = {}): readonly LoggedRequest[] {
    const inOrder = [...this.#entries.slice(this.#next), ...this.#entries.slice(0, this.#next)];
    return inOrder.map(shown).filter(passes(checked('filter', requestFilter, filter)));
  }

  clear(): void {
    this.#entries = [];
    this.#next = 0;
  }

  add(exchange: Exchange, answered: Pick<Entry, 'at' | 'operation' | 'status' | 'duration' | 'fault'>): void {
    const { at, operation, status, duration, fault } = answered;
    this.#entries[this.#next] = {
      id: exchange.requestId,
      at,
      method: exchange.method,
      path: masked(pathAndQuery(exchange.request.url)),
      operation,
      user: exchange.userId,
      accept: exchange.header('accept'),
      contentType: exchange.header('content-type'),
      ifNoneMatch: exchange.header('if-none-match'),
      body: exchange.sent,
      status,
      duration,
      fault,
      unexpected: fault === null ? this.#surprise(exchange, answered) : null,
    };
    this.#next = (this.#next + 1) % kept;
  }

  #surprise(exchange: Exchange, { operation, status }: Pick<LoggedRequest, 'operation' | 'status'>): string | null {
    if (operation === null && (status === 404 || status === 405)) return 'The API has no such endpoint.';
    if (operation !== null && !exchange.wantsJson && !this.pages)
      return 'The header Accept: application/json is missing, so the answer is a page.';
    return status === 500 ? 'The marketplace itself failed.' : null;
  }
}

/** @throws {ControlError} when a request came that no client of the API should send: call it at the end of a test. */
export function assertNone(unexpected: readonly LoggedRequest[]): void {
  if (unexpected.length === 0) return;
  const lines = unexpected.map(
    ({ method, path, status, unexpected: why }) => `  ${method} ${path} -> ${status}: ${why}`,
  );
  throw new ControlError(`${unexpected.length} unexpected request(s) reached the API:\n${lines.join('\n')}`);
}
