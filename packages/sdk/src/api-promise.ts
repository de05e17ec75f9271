import { atCaller, type Issue } from './errors.js';

/** Response metadata. */
export interface Meta {
  /** Status of the response; 200 if the cached one was revalidated. */
  status: number;
  /** `ETag` of the response. */
  etag: string | null;
  /** Whether the server returned 304 and the data comes from the cache. */
  fromCache: boolean;
  /** How many attempts were made. */
  attempts: number;
  /** `X-Request-Id` of the response. */
  requestId: string | null;
  /** Where the response differs from the contract. Empty with `validation: 'off'`. */
  issues: readonly Issue[];
}

/** The data of a response, with the response and its metadata. */
export interface ApiResult<T> {
  data: T;
  /** The response as the runtime's own class, with an unread body. */
  response: Response;
  meta: Meta;
}

/** The promise of a response. The request is sent once, in the next microtask, whether the promise is awaited or not. */
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
    queueMicrotask(() => this.begin());
  }

  /** Starts the call if nothing has started it yet. */
  protected begin(): void {
    this.withResponse();
  }

  /** The data together with the response and its metadata. */
  withResponse(): Promise<ApiResult<T>> {
    this.#result ??= this.#start().catch((error) => {
      throw atCaller(error);
    });
    return this.#result;
  }

  /** The response as the runtime's own class, with an unread body. Rejects as awaiting does. */
  asResponse(): Promise<Response> {
    return this.withResponse().then(({ response }) => response);
  }

  // biome-ignore lint/suspicious/noThenProperty: this is a promise, whose result `withResponse` holds.
  override then<A = T, B = never>(
    onFulfilled?: ((data: T) => A | PromiseLike<A>) | null,
    // biome-ignore lint/suspicious/noExplicitAny: as the platform types it, so that `(error: Error) => ...` compiles.
    onRejected?: ((reason: any) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    // In two steps: V8 then finds its way from an error to the line that awaits this promise.
    return this.withResponse()
      .then(({ data }) => data)
      .then(onFulfilled, onRejected);
  }
}
