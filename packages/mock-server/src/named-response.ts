/** Reason phrases of the statuses that the API answers with, or that a fault may. */
const phrases: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  204: 'No Content',
  303: 'See Other',
  304: 'Not Modified',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/**
 * A Response with the reason phrase that HTTP/1.1 servers send: a plain one has none, and error messages would differ.
 * It can be told where it came from, which a Response made by hand does not know.
 */
export class NamedResponse extends Response {
  #url: string | undefined;
  #redirected = false;

  constructor(body?: BodyInit | null, init: ResponseInit = {}) {
    super(body, { statusText: phrases[init.status ?? 200] ?? '', ...init });
  }

  override get url(): string {
    return this.#url ?? super.url;
  }

  override get redirected(): boolean {
    return this.#redirected;
  }

  /** Gives the address that `response` came from. */
  static place(response: Response, url: string, redirected: boolean): Response {
    if (response instanceof NamedResponse) {
      response.#url = url;
      response.#redirected = redirected;
    } else Object.defineProperties(response, { url: { value: url }, redirected: { value: redirected } });
    return response;
  }
}
