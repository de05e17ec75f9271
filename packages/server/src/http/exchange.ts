import { type CorsPolicy, corsHeaders, preflightHeaders } from './cors.js';

/** Node's own request, where the app runs on Node: its headers are parsed already. */
interface NodeBindings {
  readonly incoming?: {
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly socket?: { readonly remoteAddress?: string | undefined; destroy(): void };
  };
}

const privateCaching = 'max-age=0, private, must-revalidate';

/** JSON is what the Accept header names, alone or in a list, and nothing else (D5). */
function namesJson(accept: string | null): boolean {
  if (accept === null) return false;
  if (accept === 'application/json') return true;
  return accept.split(',').some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === 'application/json' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

/** A request id that a client may choose: it stands in logs and headers, so it has no room for anything odd (D17). */
const wellFormedId = /^[A-Za-z0-9._:-]{1,128}$/;

export type ResponseClass = new (body: BodyInit | null, init: ResponseInit) => Response;

/** One request and the answer to it: what every step of the pipeline has in its hands. */
export class Exchange {
  readonly requestId: string;
  readonly wantsJson: boolean;
  /** For the logs: what was called, and by whom. */
  operation: string | null = null;
  userId: string | null = null;
  /** The JSON that was sent, once it was read: for the request log. */
  sent: unknown = undefined;
  /** Whether the connection was broken instead of answered. */
  dropped = false;
  /** The form that a page sent, once it has been read: a body can be read only once. */
  form: FormData | null = null;
  readonly #cors: Readonly<Record<string, string>>;
  readonly #Response: ResponseClass;
  #url: URL | undefined;

  constructor(
    readonly request: Request,
    private readonly bindings: NodeBindings | undefined,
    options: { readonly cors: CorsPolicy; readonly newRequestId: () => string; readonly Response: ResponseClass },
  ) {
    const id = this.header('x-request-id');
    this.requestId = id !== null && wellFormedId.test(id) ? id : options.newRequestId();
    this.wantsJson = namesJson(this.header('accept'));
    this.#Response = options.Response;
    this.#cors = corsHeaders(options.cors, this.header('origin'));
  }

  get method(): string {
    return this.request.method;
  }

  get url(): URL {
    this.#url ??= new URL(this.request.url);
    return this.#url;
  }

  /** The address at the other end of the connection: a proxy's, behind one. Null where there is no connection. */
  get peer(): string | null {
    return this.bindings?.incoming?.socket?.remoteAddress?.replace(/^::ffff:/, '') ?? null;
  }

  /** A request header by its lowercase name; null when it is absent. */
  header(name: string): string | null {
    const headers = this.bindings?.incoming?.headers;
    if (!headers) return this.request.headers.get(name);
    const value = headers[name];
    return value === undefined ? null : typeof value === 'string' ? value : value.join(', ');
  }

  /** The query parameters of that name, in their order. */
  query(name: string): readonly string[] {
    return this.request.url.includes('?') ? this.url.searchParams.getAll(name) : [];
  }

  /** The one place where an answer is made, so that no answer lacks what every answer carries (D16, D17). */
  respond(status: number, body: BodyInit | null, headers: Readonly<Record<string, string>> = {}): Response {
    const all: Record<string, string> = {
      'Cache-Control': privateCaching,
      Vary: 'Accept, Accept-Encoding, Authorization, Origin',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': this.requestId,
      ...this.#cors,
      ...headers,
    };
    // HEAD has the headers of GET, the length included (D13); the router drops the body.
    if (this.method === 'HEAD' && typeof body === 'string')
      all['Content-Length'] = String(new TextEncoder().encode(body).length);
    return new this.#Response(body, { status, headers: all });
  }

  /** Which methods there are; to a page that may call, also how (D16). */
  options(allowed: readonly string[]): Response {
    const isOpen = 'Access-Control-Allow-Origin' in this.#cors;
    return this.respond(204, null, { Allow: allowed.join(', '), ...(isOpen && preflightHeaders(allowed)) });
  }

  /** Breaks the connection without an answer, as a server that crashes does. */
  drop(): Response {
    this.dropped = true;
    if (!this.hangUp()) return Response.error();
    // Tells Hono's Node adapter that there is nothing left to send.
    return new Response(null, { headers: { 'X-Hono-Already-Sent': 'true' } });
  }

  /** Closes the connection, where there is one: tells whether it could. */
  hangUp(): boolean {
    const socket = this.bindings?.incoming?.socket;
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
      'Content-Security-Policy':
        "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      ...headers,
    });
  }
}

/** A request on its way to its response, as faults and the request log see it. */
export interface Call {
  readonly exchange: Exchange;
  /** The endpoint that it is for; null where none is at its path. */
  operation(): string | null;
  /** The owner of its token; null where there is none. */
  user(): Promise<string | null>;
  /** What the app responds. */
  answer(): Promise<Response>;
  /** The response to a request that fails with `error`, in the form that was asked for. */
  refuse(error: Error): Promise<Response>;
}

/** Wraps every request. */
export type Middleware = (call: Call) => Promise<Response>;
