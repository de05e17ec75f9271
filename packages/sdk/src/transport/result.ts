import type { ApiResult, Meta } from '../api-promise.js';
import type { Received } from './call.js';

export class Result<T> implements ApiResult<T> {
  readonly data: T;
  readonly meta: Meta;
  readonly #received: Received;

  constructor(data: T, meta: Meta, received: Received) {
    this.data = data;
    this.meta = meta;
    this.#received = received;
  }

  /** Made when it is asked for: few callers do, and it costs as much as the rest of the reading. */
  get response(): Response {
    const { text, headers, fromCache } = this.#received;
    const { status } = this.meta;
    // The Response constructor takes neither a status below 200 nor a body where the status allows none.
    if (status < 200) return Response.error();
    const response = new Response([204, 205, 303, 304].includes(status) ? null : text, { status, headers });
    // They are of the body as it was sent, perhaps compressed: whoever passes the response on would say so of this text.
    response.headers.delete('content-encoding');
    response.headers.delete('content-length');
    // A 304 leaves out the type of what it revalidates.
    if (fromCache && !headers.has('content-type')) response.headers.set('content-type', 'application/json');
    return response;
  }
}
