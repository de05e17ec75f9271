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
 * `globalThis` for ky in the bundle. The SDK passes only a URL and a method to ky, and ignores the `Request` that ky
 * creates; the first use of the built-in class would load all of undici.
 */
export const globals = { AbortController, AbortSignal, Headers, Request, Response };
