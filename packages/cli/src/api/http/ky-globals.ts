class Headers extends Map<string, string> {
  /** ky passes an empty object, which a Map does not take. */
  constructor(_init: object) {
    super();
  }
}

class Request {
  readonly url: string;
  readonly method: string;
  readonly headers = new Headers({});

  constructor(url: string, { method }: { readonly method: string }) {
    this.url = url;
    this.method = method;
  }

  clone(): this {
    return this;
  }
}

class Response {}

/**
 * `globalThis` for ky in the bundle. The SDK gives ky an address and a method only, and ignores the `Request` that ky
 * makes of them; the first use of the runtime's own class loads all of undici.
 */
export const globals = { AbortController, AbortSignal, Headers, Request, Response };
