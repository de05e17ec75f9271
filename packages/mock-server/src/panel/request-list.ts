import type { LoggedRequest, RequestFilter } from '../control-types.js';
import { el } from './dom.js';

const maxShown = 50;

interface RequestSource {
  readonly requests: {
    list(filter?: RequestFilter): readonly LoggedRequest[] | Promise<readonly LoggedRequest[]>;
  };
}

/** The latest requests, newest first. Items stay open while others are added. */
export class RequestList {
  readonly element = el('ul', { 'aria-label': 'Requests' });
  #last = '';

  constructor(private readonly source: RequestSource) {}

  add({ id, method, path, status, duration, operation, user, fault, unexpected, body }: LoggedRequest): void {
    const isBad = status === null || status >= 400 || unexpected !== null;
    const details = {
      operation,
      user,
      ...(fault !== null && { fault }),
      ...(unexpected !== null && { unexpected }),
      body,
    };
    this.element.prepend(
      el(
        'li',
        {},
        el(
          'details',
          {},
          el('summary', {}, el('code', {}, `${method} ${path}`)),
          el('pre', {}, JSON.stringify(details, null, 2)),
        ),
        el('small', isBad ? { class: 'bad' } : {}, `${status ?? 'broken'} ${duration.toFixed(0)} ms`),
      ),
    );
    while (this.element.childElementCount > maxShown) this.element.lastElementChild?.remove();
    this.#last = id;
  }

  /** Adds the requests since the last one. */
  async poll(): Promise<void> {
    const all = await this.source.requests.list();
    const start = all.findIndex(({ id }) => id === this.#last) + 1;
    if (start === 0) this.clear();
    for (const request of all.slice(Math.max(start, all.length - maxShown))) this.add(request);
  }

  clear(): void {
    this.element.replaceChildren();
    this.#last = '';
  }
}
