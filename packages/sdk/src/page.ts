import type { Meta } from './api-promise.js';
import { hide } from './is-object.js';
import type { CallOptions, ResponseHeaders } from './options.js';

/** Fetches one page. */
export type FetchPage<T> = (number: number, options: CallOptions) => Promise<Page<T>>;

/** Identifies the items of a page, to notice a server that sends the same page repeatedly. */
export const signature = (items: readonly unknown[]): string =>
  JSON.stringify(items.map((item) => (item as { id?: unknown } | null)?.id ?? item));

/** The data of a page: what is left of it after JSON, a structured clone or a cache of TanStack Query. */
export interface PageData<T> {
  /** The items, in the server's order. The array is the caller's own. */
  items: T[];
  /** 1 for the first page. */
  number: number;
  /** Items on all pages (`Total-Count`); null if the server does not say, or CORS hides it. */
  totalCount: number | null;
  /** Number of pages (`Total-Pages`); null if the server does not say, or CORS hides it. */
  totalPages: number | null;
}

/** One page of a list: a plain object. Iterate over its `items`. */
export interface Page<T> extends PageData<T> {
  readonly meta: Meta;
  /** Whether there is a page after this one. Without totals: whether this one has items. */
  hasNext(): boolean;
  /** The page after this one; null after the last. */
  next(options?: CallOptions): Promise<Page<T> | null>;
  /** The page before this one; null before the first. */
  previous(options?: CallOptions): Promise<Page<T> | null>;
}

export function createPage<T>(
  came: readonly T[],
  number: number,
  headers: ResponseHeaders,
  meta: Meta,
  fetch: FetchPage<T>,
): Page<T> {
  const totalCount = total(headers, 'total-count', came.length);
  const pages = total(headers, 'total-pages', Math.min(came.length, 1));
  // Totals that disagree: there is a page after this one, or this one is after the last.
  const isWrong =
    pages !== null &&
    (number === 1 ? pages <= 1 && (totalCount ?? 0) > came.length : came.length > 0 && number > pages);
  const totalPages = isWrong ? null : pages;
  const page: PageData<T> = { items: [...came], number, totalCount, totalPages };
  const hasNext = (): boolean => came.length > 0 && number < (totalPages ?? Number.POSITIVE_INFINITY);
  const rest = {
    meta,
    hasNext,
    next: async (options: CallOptions = {}): Promise<Page<T> | null> => {
      if (!hasNext()) return null;
      const next = await fetch(number + 1, options);
      // Without totals a repeated page ends the list too: the server may not support pages.
      const ends = next.items.length === 0 || signature(next.items) === signature(came);
      return totalPages === null && ends ? null : next;
    },
    previous: async (options: CallOptions = {}): Promise<Page<T> | null> =>
      number > 1 ? fetch(number - 1, options) : null,
  };
  // Copies of the page hold data only, and two pages with the same items are equal.
  for (const [name, value] of Object.entries(rest)) hide(page, name, value);
  return page as Page<T>;
}

/** Null also if the page has more items than the header says. */
function total(headers: ResponseHeaders, name: string, least: number): number | null {
  const value = headers.get(name) ?? '';
  return /^\d+$/.test(value) && Number(value) >= least ? Number(value) : null;
}
