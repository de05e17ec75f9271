type HeadersInit = Iterable<readonly [string, string]> | Readonly<Record<string, string>>;

class Headers extends Map<string, string> {
  constructor(init: HeadersInit) {
    super(Symbol.iterator in init ? init : Object.entries(init));
  }
}

interface RequestInit {
  readonly method?: string;
  readonly headers?: HeadersInit;
  readonly redirect?: string;
  readonly signal?: AbortSignal;
}

/** The parts of a request that ky and the SDK read. The SDK keeps the body itself. */
class Request {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly redirect: string | undefined;
  readonly signal: AbortSignal | undefined;

  constructor(input: string | Request, init: RequestInit) {
    const given = typeof input === 'string' ? undefined : input;
    this.url = typeof input === 'string' ? input : input.url;
    this.method = init.method ?? given?.method ?? 'GET';
    this.headers = new Headers(init.headers ?? given?.headers ?? {});
    this.redirect = init.redirect ?? given?.redirect;
    this.signal = init.signal ?? given?.signal;
  }

  /** The SDK reads it from a request that a middleware has changed. */
  async arrayBuffer(): Promise<ArrayBuffer> {
    return new ArrayBuffer(0);
  }

  clone(): Request {
    return new Request(this, {});
  }
}

class Response {}

/** `globalThis` for ky in the bundle: the first use of the built-in `Request` would load all of undici. */
export const globals = { AbortController, AbortSignal, Headers, Request, Response };
