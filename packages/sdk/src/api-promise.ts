import { atCaller, ConfigurationError, type Issue } from './errors.js';

/** Response metadata. */
export interface Meta {
  /** Status of the response; 200 if the cached one was revalidated. */
  status: number;
  /** `ETag` of the returned data. */
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
  /** The response as the runtime's own class. Its body is text: for bytes use `asResponse()` or `download()`. */
  response: Response;
  meta: Meta;
}

/** The promise of a response. The request is sent once, in the next microtask, whether the promise is awaited or not. */
export class ApiPromise<T> extends Promise<T> {
  readonly #start: (unread: boolean) => Promise<ApiResult<T>>;
  #result: Promise<ApiResult<T>> | undefined;

  /** Promises derived by `then` and `finally` are plain ones. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  constructor(start: (unread: boolean) => Promise<ApiResult<T>>) {
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
    return this.#run(false);
  }

  /**
   * The runtime's response with its body unread, instead of the data: bytes stay bytes, streams stream. Call it in the
   * same step as the method: `await mkt.request('GET', path).asResponse()`. It bypasses the cache. Time limits and the
   * signal end at the headers. Rejects as awaiting does.
   */
  async asResponse(): Promise<Response> {
    if (this.#result)
      throw new ConfigurationError('The body is read already. Call asResponse() directly after the method.');
    return (await this.#run(true)).response;
  }

  #run(unread: boolean): Promise<ApiResult<T>> {
    this.#result ??= this.#start(unread).catch((error) => {
      throw atCaller(error);
    });
    return this.#result;
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
