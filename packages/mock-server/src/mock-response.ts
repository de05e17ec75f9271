/** Reason phrases of the statuses of the API and of faults. */
const reasonPhrases: Readonly<Record<number, string>> = {
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
  412: 'Precondition Failed',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Entity',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  451: 'Unavailable For Legal Reasons',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  505: 'HTTP Version Not Supported',
  511: 'Network Authentication Required',
};

/** A Response with the reason phrase that HTTP/1.1 servers send, which error messages contain. */
export class MockResponse extends Response {
  constructor(body?: BodyInit | null, init: ResponseInit = {}) {
    super(body, { statusText: reasonPhrases[init.status ?? 200] ?? '', ...init });
  }
}

/** Sets the URL of a Response, which a constructed one does not have. Its clones have it too. */
export function withUrl(response: Response, url: string, redirected: boolean): Response {
  return Object.defineProperties(response, {
    url: { value: url },
    redirected: { value: redirected },
    clone: { value: () => withUrl(Response.prototype.clone.call(response), url, redirected) },
  });
}
