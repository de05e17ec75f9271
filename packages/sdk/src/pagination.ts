import { ApiPromise, type ApiResult } from './api-promise.js';
import type { ClientEndpoint } from './contract/endpoint.js';
import { iteratePages } from './iterate-pages.js';
import type { CallOptions, ListOptions } from './options.js';
import type { FetchPage, Page } from './page.js';
import { describing, Progress, throwIfAborted } from './transport/progress.js';
import { allRules, callRules, check, rangeRules } from './transport/settings.js';

/** Which pages to read. */
export interface PageRange {
  /** First page. Default: the option `page` of the list, else 1. */
  from?: number | undefined;
  /** Last page. Default: the last page of the list. */
  to?: number | undefined;
}

/** Options of `pages()`. */
export interface PagesOptions extends PageRange {
  /** How many pages are fetched at the same time, ahead of the loop. Default 1; 8 for `all()`. */
  concurrency?: number | undefined;
}

/** Options of `all()`. */
export interface AllOptions extends PagesOptions {
  /** How many items, at most. Pages beyond them are not fetched. */
  limit?: number | undefined;
}

/** Whether an item is seen for the first time, by its id; items without one always are. */
function once(): (item: unknown) => boolean {
  const seen = new Set<unknown>();
  return (item) => {
    const id = (item as { id?: unknown } | null)?.id;
    return id == null || seen.size < seen.add(id).size;
  };
}

/**
 * A list. Awaiting it returns one page, which is requested in the next microtask; iterating it returns every item once, in
 * the server's order, and fetches pages ahead: one at first, up to eight if the loop is faster. Leaving the loop aborts
 * pending requests.
 */
export class ListPromise<T> extends ApiPromise<Page<T>> implements AsyncIterable<T> {
  readonly #endpoint: Pick<ClientEndpoint, 'operation' | 'method' | 'path'>;
  readonly #fetch: FetchPage<T>;
  readonly #options: ListOptions;
  #isIterated = false;
  /** The page that was requested at the start, until it is read. */
  #unread: Promise<ApiResult<Page<T>>> | undefined;

  /** @internal */
  constructor(
    endpoint: Pick<ClientEndpoint, 'operation' | 'method' | 'path'>,
    fetch: (number: number, options: CallOptions, unread?: boolean) => Promise<ApiResult<Page<T>>>,
    options: ListOptions,
    next: FetchPage<T>,
  ) {
    super((unread) => fetch(options?.page ?? 1, options, unread));
    this.#endpoint = endpoint;
    this.#fetch = next;
    this.#options = options;
  }

  /** An iteration that began in the meantime requests its own pages, when they are needed. */
  protected override begin(): void {
    if (!this.#isIterated) this.#unread = super.withResponse();
  }

  override withResponse(): Promise<ApiResult<Page<T>>> {
    this.#unread = undefined;
    return super.withResponse();
  }

  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    return items(this.#iterate({}, 'as needed'), this.#options.signal, this.#endpoint);
  }

  /** The pages one after the other, the next ones fetched ahead of the loop. */
  pages(options: PagesOptions = {}): AsyncGenerator<Page<T>, void, undefined> {
    return this.#iterate(options, 1);
  }

  /** All items as an array, in the server's order, each id once. */
  all(options: AllOptions = {}): Promise<T[]> {
    this.#isIterated = true;
    return describing(this.#endpoint, async () => {
      check(options, allRules);
      const { limit = Number.POSITIVE_INFINITY, ...range } = options;
      const items: T[] = [];
      if (limit < 1) return items;
      const isNew = once();
      for await (const page of this.#iterate(range, 8, () => limit - items.length)) {
        for (const item of page.items) if (isNew(item)) items.push(item);
        if (items.length >= limit) return items.slice(0, limit);
      }
      return items;
    });
  }

  /** The first item; undefined if the list is empty. */
  async first(): Promise<T | undefined> {
    return (await this).items[0];
  }

  /** Number of items on all pages. If the server does not say, all pages are fetched and counted. */
  async count(): Promise<number> {
    const { totalCount } = await this;
    return totalCount ?? (await this.all({ from: 1 })).length;
  }

  #iterate(
    options: PagesOptions,
    usual: number | 'as needed',
    wanted = () => Number.POSITIVE_INFINITY,
  ): AsyncGenerator<Page<T>, void, undefined> {
    this.#isIterated = true;
    try {
      check(this.#options, callRules);
      check(options, rangeRules);
    } catch (error) {
      throw new Progress(this.#endpoint).describe(error);
    }
    const { page = 1, signal } = this.#options;
    const { from = page, to, concurrency = usual } = options;
    let unread = this.#unread;
    this.#unread = undefined;
    unread?.catch(() => undefined);
    const fetch: FetchPage<T> = async (number, options) => {
      const requested = number === page ? unread : undefined;
      unread = undefined;
      return requested ? (await requested).data : this.#fetch(number, options);
    };
    return iteratePages(fetch, { endpoint: this.#endpoint, from, to, concurrency, wanted, signal });
  }
}

async function* items<T>(
  pages: AsyncIterable<Page<T>>,
  signal: AbortSignal | undefined,
  endpoint: Progress['operation'],
): AsyncGenerator<T, void, undefined> {
  const isNew = once();
  for await (const page of pages)
    for (const item of page.items) {
      throwIfAborted(signal, endpoint);
      if (isNew(item)) yield item;
    }
}
