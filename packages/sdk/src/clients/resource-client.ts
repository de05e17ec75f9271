import type { ApiPromise } from '../api-promise.js';
import type { ClientEndpoint, Transition } from '../contract/endpoint.js';
import type { Id } from '../contract/types.js';
import { ConfigurationError, TransitionError } from '../errors.js';
import type { CallOptions, ListOptions, UploadOptions, WriteOptions } from '../options.js';
import { createPage, type Page } from '../page.js';
import { ListPromise } from '../pagination.js';
import { jsonBody } from '../transport/body.js';
import type { Call } from '../transport/call.js';
import { callFrom } from '../transport/progress.js';
import { checkAction, Result, readResponse } from '../transport/read.js';
import { hasFields } from '../transport/settings.js';
import type { Transport } from '../transport/transport.js';
import { bindMethods } from './methods.js';

/** Base of the clients of all resources: calls of an endpoint of the contract, with ids and a body. */
export abstract class ResourceClient {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
    bindMethods(this);
  }

  /**
   * A call. Its fields are under the name that the contract gives them; multipart if they hold a file, else JSON.
   *
   * @internal
   */
  protected call<Item>(
    endpoint: ClientEndpoint<Item>,
    ids: readonly Id[],
    options: UploadOptions & WriteOptions = {},
    fields?: object,
    query?: Record<string, string>,
  ): ApiPromise<Item> {
    const transport = this.#transport;
    const { wrapper, file, optional } = endpoint.request ?? { wrapper: '', file: null, optional: true };
    const prepare = (): Call<Item> => {
      if (fields === undefined ? optional !== true : !hasFields(fields))
        throw new ConfigurationError("the fields are an object, such as { name: 'Autumn' }.", endpoint);
      const call = { operation: endpoint, url: transport.url(endpoint, ids, query), options };
      if (fields === undefined) return call;
      if (file && (fields as Record<string, unknown>)[file] !== undefined)
        return {
          ...call,
          body: async () => (await import('../transport/files.js')).multipart(wrapper, file, { ...fields }),
        };
      return { ...call, ...jsonBody(endpoint.operation, { [wrapper]: fields }) };
    };
    return transport.promise(endpoint, async (progress) => transport.read(prepare(), progress));
  }

  /**
   * A list; each page is one call.
   *
   * @internal
   */
  protected pages<Item>(
    endpoint: ClientEndpoint<Item>,
    ids: readonly Id[],
    options: ListOptions = {},
  ): ListPromise<Item> {
    const transport = this.#transport;
    const run = callFrom(endpoint);
    const fetch = (number: number, more: CallOptions, unread = false): Promise<Result<Page<Item>>> =>
      run(async (progress) => {
        const url = transport.url(endpoint, ids, number > 1 ? { page: String(number) } : undefined);
        const response = await transport.send({ operation: endpoint, url, options: more }, progress);
        const read = await readResponse(endpoint, response, transport.settings);
        if (unread) return read as Result<never>;
        const { data, meta } = read;
        return new Result(createPage(data as Item[], number, response.headers, meta, next), meta, response);
      })(unread);
    // A page may outlive the iteration that fetched it, and its signal: the next page uses the list's own options.
    const next = async (number: number, given: CallOptions) => (await fetch(number, { ...options, ...given })).data;
    return new ListPromise(endpoint, fetch, options, next);
  }

  /**
   * A web action. It has no JSON form: its response is a redirect, whether it succeeded or not. So the resource is read
   * afterwards, and its state decides. It is a success too if the resource was in that state before.
   *
   * @internal
   */
  protected action<Item extends object>(
    action: ClientEndpoint<unknown> & { readonly transition: Transition },
    show: ClientEndpoint<Item>,
    [field, states]: readonly [field: keyof Item & string, states: readonly string[]],
    ids: readonly Id[],
    options: CallOptions = {},
  ): ApiPromise<Item> {
    const transport = this.#transport;
    return transport.promise(action, async (progress) => {
      progress.reads = 'text';
      const url = transport.url(show, ids);
      const call = { operation: action, url: transport.url(action, ids), invalidates: url, options };
      await checkAction(action, await transport.send(call, progress));
      const { from, to } = action.transition;
      const read = (again: CallOptions) =>
        transport.read({ operation: show, url, options: { ...options, ...again } }, progress);
      let result: Result<Item>;
      try {
        result = await read({});
        // It may have been read before the action had its effect, from a replica or a cache on the way.
        if (from.includes(String(result.data[field]))) result = await read({ cache: 'reload' });
      } catch (error) {
        (error as Error).message = `It was sent, but reading its result failed: ${(error as Error).message}`;
        throw error;
      }
      const state = String(result.data[field]);
      // A state that the contract does not know is a later step of the service's own, and reported as drift.
      if (state === to || !states.includes(state)) return result;
      const rejected = new TransitionError(action.operation, progress.redact(state), to);
      throw Object.assign(progress.describe(rejected), { mayHaveArrived: from.includes(state) });
    });
  }
}
