import type { Image } from '../rules/context.js';
import type { Reader, Writer } from '../store/store.js';
import type { BodyBudget, BodyLease } from './body-budget.js';
import { type CorsPolicy, corsHeaders, preflightHeaders } from './cors.js';
import type { Problem } from './problems.js';
import type { Caller, CallerTurns, Connection, Credentials } from './turns.js';

/** Node's request, if the app runs on Node. Its headers are already parsed. */
interface NodeBindings {
  readonly incoming?: {
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly complete?: boolean;
    readonly chunks?: number;
    readonly socket?: Connection & { destroy(): void };
    /** Instead of the socket's, if a proxy names the client. */
    readonly client?: Connection;
  };
}

/** Of web pages: nothing from other sites. Pages with scripts add theirs. */
export const contentSecurityPolicy =
  "default-src 'none'; connect-src 'self'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const privateCaching = 'max-age=0, private, must-revalidate';

/** Whether the Accept header contains JSON, possibly in a list. */
function namesJson(accept: string | null): boolean {
  if (accept === null) return false;
  if (accept === 'application/json') return true;
  return accept.split(',').some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === 'application/json' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

/** Request ids that clients may choose, without access tokens. They appear in logs and headers. */
const wellFormedId = /^[A-Za-z0-9._:-]{1,128}$/;

const addressOf = (connection: Connection | undefined): string | null =>
  connection?.remoteAddress?.replace(/^::ffff:/, '') ?? null;

export type ResponseClass = new (body: BodyInit | null, init: ResponseInit) => Response;

/** One request and its response, shared by all steps of the pipeline. */
export class Exchange {
  readonly requestId: string;
  readonly wantsJson: boolean;
  /** For logs: the operation and the user. */
  operation: string | null = null;
  userId: string | null = null;
  /** The parameters in the path. */
  parameters: Readonly<Record<string, string>> = {};
  /** The JSON body, for logs. */
  sent: unknown = undefined;
  /** Why the request was rejected. */
  problem: Problem | null = null;
  /** Whether a response was sent in part when an error occurred. */
  endedEarly = false;
  /** Whether the connection was closed without a response. */
  dropped = false;
  /** The parsed form. Stored because a body can be read only once. */
  form: FormData | null = null;
  /** Why it cannot be read. Of a form that was read in part, `form` has the beginning. */
  formError: unknown;
  /** Called first in the transaction of a write. It is rolled back if this throws. */
  beforeWrite: ((writer: Writer) => Promise<void>) | null = null;
  /** Whether the resource still is as the page showed that sent the form. Nothing is changed otherwise. */
  isAsShown: ((current: object | null, reader: Reader) => Promise<boolean>) | null = null;
  /** Counts the request; undefined if there is no rate limit. @throws 429 */
  readonly checkLimit: ((exchange: Exchange) => Promise<void>) | undefined;
  /** The image that an undo restores, for endpoints that take no file. */
  restored: Image | null = null;
  readonly #cors: Readonly<Record<string, string>>;
  readonly #incoming: NodeBindings['incoming'];
  #lease: BodyLease | undefined;
  #url: URL | undefined;

  constructor(
    readonly request: Request,
    bindings: NodeBindings | undefined,
    private readonly services: {
      readonly cors: CorsPolicy;
      readonly newRequestId: () => string;
      readonly Response: ResponseClass;
      /** The time for the header `Date`; by default Node adds its own. */
      readonly date?: () => string;
      readonly bodyBudget?: BodyBudget | undefined;
      readonly turns?: CallerTurns | undefined;
      readonly checkLimit?: Exchange['checkLimit'];
    },
  ) {
    this.#incoming = bindings?.incoming;
    const id = this.header('x-request-id');
    this.requestId = id !== null && wellFormedId.test(id) && !/mkt_/i.test(id) ? id : services.newRequestId();
    this.wantsJson = namesJson(this.header('accept'));
    this.checkLimit = services.checkLimit;
    this.#cors = corsHeaders(services.cors, this.header('origin'));
  }

  get method(): string {
    return this.request.method;
  }

  get url(): URL {
    this.#url ??= new URL(this.request.url);
    return this.#url;
  }

  /** The remote address of the connection, possibly that of a proxy. Null if there is no connection. */
  get peer(): string | null {
    return addressOf(this.#incoming?.socket);
  }

  /** The address of the client, if the proxy names it; otherwise that of the connection. */
  get clientAddress(): string | null {
    return addressOf(this.#connection);
  }

  get #connection(): Connection | undefined {
    return this.#incoming?.client ?? this.#incoming?.socket;
  }

  /** Whether Node has received the whole body. */
  get isReceived(): boolean {
    return this.#incoming?.complete === true;
  }

  /** How many chunks of the body Node has received; zero if the body has a length. */
  get chunks(): number {
    return this.#incoming?.chunks ?? 0;
  }

  /** For the memory of the body, until the request ends; undefined if there is no budget. */
  leaseForBody(): BodyLease | undefined {
    this.#lease ??= this.services.bodyBudget?.lease(this.#caller);
    return this.#lease;
  }

  /**
   * Waits for a turn before the work on what came from the store; undefined if there are no other callers.
   * @param isUrgent inside a transaction, so that it does not wait for long
   */
  turn(isUrgent?: boolean): Promise<void> | undefined {
    return this.services.turns?.resume(this.#caller, isUrgent);
  }

  identifiedAs(userId: string): void {
    this.userId = userId;
    const { turns } = this.services;
    turns?.identified(this.#credentials, userId);
  }

  /** Work after the response has begun, such as that on the next part of a download: it takes turns like a request. */
  async asRequest<Result>(work: () => Promise<Result>): Promise<Result> {
    const { turns } = this.services;
    const caller = this.#caller;
    await turns?.start(caller);
    try {
      return await work();
    } finally {
      turns?.end(caller);
    }
  }

  /** Loads an image when the client may have it. @param load returns how many bytes it has read from the store */
  async loading(load: () => Promise<number>): Promise<void> {
    await (this.services.turns?.loading(this.#credentials, this.#connection, load) ?? load());
  }

  get #credentials(): Credentials {
    return { authorization: this.header('authorization') ?? undefined, cookie: this.header('cookie') ?? undefined };
  }

  get #caller(): Caller {
    return { userId: this.userId, connection: this.#connection };
  }

  /** The response was made, or there is none. */
  end(): void {
    this.#lease?.end();
  }

  /** A request header by its lowercase name; null if it is absent. */
  header(name: string): string | null {
    const headers = this.#incoming?.headers;
    if (!headers) return this.request.headers.get(name);
    const value = headers[name];
    return value === undefined ? null : typeof value === 'string' ? value : value.join(', ');
  }

  /** All query parameters with this name, in order. */
  query(name: string): readonly string[] {
    return this.request.url.includes('?') ? this.url.searchParams.getAll(name) : [];
  }

  /** Creates all responses, so that all of them have the common headers. */
  respond(status: number, body: BodyInit | null, headers: Readonly<Record<string, string>> = {}): Response {
    const all: Record<string, string> = {
      'Cache-Control': privateCaching,
      // Of the same clock as the timestamps, which test controls may set.
      ...(this.services.date && { Date: this.services.date() }),
      Vary: 'Accept, Accept-Encoding, Authorization, Origin',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': this.requestId,
      ...this.#cors,
      ...headers,
    };
    // HEAD has the headers of GET, including the length. The router would drop the body of a Response only after copying it.
    const isLeftOut = this.method === 'HEAD' && (typeof body === 'string' || body instanceof Uint8Array);
    if (isLeftOut)
      all['Content-Length'] = String((typeof body === 'string' ? new TextEncoder().encode(body) : body).length);
    return new this.services.Response(isLeftOut ? null : body, { status, headers: all });
  }

  /** The allowed methods; for allowed origins with CORS headers. */
  options(allowed: readonly string[]): Response {
    const isOpen = 'Access-Control-Allow-Origin' in this.#cors;
    return this.respond(204, null, { Allow: allowed.join(', '), ...(isOpen && preflightHeaders(allowed)) });
  }

  /** Closes the connection without a response, like a crashing server. */
  drop(): Response {
    this.dropped = true;
    if (!this.closeConnection()) return Response.error();
    // Signals to Hono's Node adapter that the response was already sent.
    return new Response(null, { headers: { 'X-Hono-Already-Sent': 'true' } });
  }

  /** Closes the connection, if there is one. Returns whether it was closed. */
  closeConnection(): boolean {
    const socket = this.#incoming?.socket;
    socket?.destroy();
    return socket !== undefined;
  }

  json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Response {
    return this.respond(status, JSON.stringify(value), {
      'Content-Type': 'application/json; charset=utf-8',
      ...headers,
    });
  }

  html(status: number, page: string, headers: Readonly<Record<string, string>> = {}): Response {
    return this.respond(status, page, {
      'Content-Type': 'text/html; charset=utf-8',
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'same-origin',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Content-Security-Policy': contentSecurityPolicy,
      ...headers,
    });
  }
}

/** A request that has not been handled yet. */
export interface PendingRequest {
  readonly exchange: Exchange;
  /** The endpoint of the request, also if it is sent by the form of a page; null if its path has none. */
  operation(): Promise<string | null>;
  /** Id and e-mail address of the owner of the token; empty if the token is not valid. */
  user(): Promise<readonly string[]>;
  /** Returns the response of the app. */
  respond(): Promise<Response>;
  /** Returns the response for `error`, in the requested format. */
  reject(error: Error): Promise<Response>;
}
