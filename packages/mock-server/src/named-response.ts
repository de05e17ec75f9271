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

/** A Response with the reason phrase that HTTP/1.1 servers send: a plain one has none, and error messages would differ. */
export class NamedResponse extends Response {
  constructor(body?: BodyInit | null, init: ResponseInit = {}) {
    super(body, { statusText: phrases[init.status ?? 200] ?? '', ...init });
  }
}

/** Tells a Response where it came from, which one that was made by hand does not know; its clones know it too. */
export function placed(response: Response, url: string, redirected: boolean): Response {
  return Object.defineProperties(response, {
    url: { value: url },
    redirected: { value: redirected },
    clone: { value: () => placed(Response.prototype.clone.call(response), url, redirected) },
  });
}
