import type { ApiPromise } from '../api-promise.js';
import type { CallOptions, ListOptions, UploadOptions } from '../options.js';
import { Page } from '../page.js';
import { ListPromise } from '../pagination.js';
import { act } from '../transport/actions.js';
import { jsonBody } from '../transport/call.js';
import type { Id, Operation } from '../transport/operation.js';
import { read } from '../transport/reading.js';
import { Result } from '../transport/result.js';
import type { Transport } from '../transport/transport.js';
import { multipart } from '../transport/uploads.js';

/** What the methods of all resources are made of: one operation of the contract, its ids, a body. */
export abstract class Resource {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** A call without a body. */
  protected call<Item>(operation: Operation<Item>, ids: readonly Id[], options: CallOptions = {}): ApiPromise<Item> {
    const transport = this.#transport;
    return transport.promise(() => ({ operation, url: transport.url(operation, ids), options }));
  }

  /** A call with fields; multipart where they hold a file, else JSON, under the name that the contract gives them. */
  protected write<Item>(
    operation: Operation<Item>,
    ids: readonly Id[],
    fields: object | undefined,
    options: UploadOptions = {},
    query?: Readonly<Record<string, string | undefined>>,
  ): ApiPromise<Item> {
    const transport = this.#transport;
    const { wrapper = '', file = '' } = operation;
    return transport.promise(() => {
      const { [file]: attached } = (fields ?? {}) as Record<string, unknown>;
      const call = { operation, url: transport.url(operation, ids, query), options };
      if (fields === undefined) return call;
      if (attached !== undefined) return { ...call, body: () => multipart(wrapper, file, { ...fields }) };
      return { ...call, ...jsonBody(operation, { [wrapper]: fields }) };
    });
  }

  /** A list, one page of it a call. */
  protected pages<Item>(operation: Operation<Item>, ids: readonly Id[], options: ListOptions = {}): ListPromise<Item> {
    const transport = this.#transport;
    const fetch = async (number: number, more: CallOptions): Promise<Result<Page<Item>>> => {
      const url = transport.url(operation, ids, { page: number > 1 ? String(number) : undefined });
      const call = { operation: operation as unknown as Operation<Item[]>, url, options: more };
      const received = await transport.send(call);
      const { data, meta } = read(call.operation, received, transport.settings);
      // A page may outlive the walk that fetched it, whose signal has fired then: the list's own options hold for the next.
      const next = async (following: number, given: CallOptions) =>
        (await fetch(following, { ...options, ...given })).data;
      return new Result(new Page<Item>(data, number, received.headers, meta, next), meta, received);
    };
    return new ListPromise(fetch, options);
  }

  /** A web action and the state that it leads to. */
  protected action<Item extends object>(
    action: Operation<unknown>,
    show: Operation<Item>,
    state: readonly [field: keyof Item & string, wanted: string],
    ids: readonly Id[],
    options: CallOptions = {},
  ): ApiPromise<Item> {
    return act(this.#transport, action, show, state, ids, options);
  }
}
