import type { Meta } from './api-promise.js';
import type { CallOptions, ResponseHeaders } from './options.js';

/** Fetches one page. */
export type FetchPage<T> = (number: number, options: CallOptions) => Promise<Page<T>>;

/** Identifies the items of a page, to notice a server that sends the same page repeatedly. */
export const signature = (items: readonly unknown[]): string =>
  JSON.stringify(items.map((item) => (item as { id?: unknown } | null)?.id ?? item));

/** One page of a list. Iterating it gives its items. */
export class Page<T> implements Iterable<T> {
  /** The items, in the server's order. The array is the caller's own. */
  readonly items: T[];
  /** 1 for the first page. */
  readonly number: number;
  /** Items on all pages (`Total-Count`); null if the server does not say, or CORS hides it. */
  readonly totalCount: number | null;
  /** Number of pages (`Total-Pages`); null if the server does not say, or CORS hides it. */
  readonly totalPages: number | null;
  readonly meta: Meta;
  readonly #came: readonly T[];
  readonly #fetch: FetchPage<T>;

  /** @internal */
  constructor(items: readonly T[], number: number, headers: ResponseHeaders, meta: Meta, fetch: FetchPage<T>) {
    this.items = [...items];
    this.#came = items;
    this.number = number;
    this.totalCount = total(headers, 'total-count', items.length);
    this.totalPages = total(headers, 'total-pages', Math.min(items.length, 1));
    this.meta = meta;
    this.#fetch = fetch;
  }

  /** Whether there is a page after this one. Without totals: whether this one has items. */
  hasNext(): boolean {
    return this.#came.length > 0 && this.number < (this.totalPages ?? Number.POSITIVE_INFINITY);
  }

  /** The page after this one; null after the last. */
  async next(options: CallOptions = {}): Promise<Page<T> | null> {
    if (!this.hasNext()) return null;
    const page = await this.#fetch(this.number + 1, options);
    if (this.totalPages !== null) return page;
    // Without totals a repeated page ends the list too: the server may not support pages.
    return page.items.length === 0 || signature(page.items) === signature(this.#came) ? null : page;
  }

  [Symbol.iterator](): Iterator<T> {
    return this.items[Symbol.iterator]();
  }
}

/** Null also if the page has more items than the header says. */
function total(headers: ResponseHeaders, name: string, least: number): number | null {
  const value = headers.get(name) ?? '';
  return /^\d+$/.test(value) && Number(value) >= least ? Number(value) : null;
}
