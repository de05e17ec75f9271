import { atCaller, type Issue } from './errors.js';

/** What is known about an answer beside its data. */
export interface Meta {
  /** Status of the answer; 200 where the cache was revalidated. */
  status: number;
  /** `ETag` of the answer. */
  etag: string | null;
  /** Whether the server answered 304 and the data comes from the cache. */
  fromCache: boolean;
  /** How many attempts were made. */
  attempts: number;
  /** `X-Request-Id` of the answer. */
  requestId: string | null;
  /** Where the answer differs from the contract. Empty with `validation: 'off'`. */
  issues: readonly Issue[];
}

/** An answer with everything that belongs to it. */
export interface ApiResult<T> {
  data: T;
  /** The answer as the runtime's own class, with an unread body. */
  response: Response;
  meta: Meta;
}

/**
 * The promise of an answer. Nothing is sent before it is awaited or one of its methods is called, and nothing twice.
 */
export class ApiPromise<T> extends Promise<T> {
  readonly #start: () => Promise<ApiResult<T>>;
  #result: Promise<ApiResult<T>> | undefined;

  /** Promises derived by `then` and `finally` are plain ones. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  constructor(start: () => Promise<ApiResult<T>>) {
    super(() => undefined);
    this.#start = start;
  }

  /** The data together with the response and what is known about it. */
  withResponse(): Promise<ApiResult<T>> {
    this.#result ??= this.#start().catch((error) => {
      throw atCaller(error);
    });
    return this.#result;
  }

  /** The answer as the runtime's own class, with an unread body. Throws as awaiting does. */
  asResponse(): Promise<Response> {
    return this.withResponse().then(({ response }) => response);
  }

  // biome-ignore lint/suspicious/noThenProperty: this is a promise; overriding `then` makes it start when it is awaited.
  override then<A = T, B = never>(
    onFulfilled?: ((data: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    // In two steps: V8 then finds its way from an error to the line that awaits this promise.
    return this.withResponse()
      .then(({ data }) => data)
      .then(onFulfilled, onRejected);
  }
}
