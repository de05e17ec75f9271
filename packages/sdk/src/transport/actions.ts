import { ApiPromise } from '../api-promise.js';
import { TransitionError } from '../errors.js';
import type { CallOptions } from '../options.js';
import type { Id, Operation } from './operation.js';
import { checkAction, read } from './reading.js';
import type { Transport } from './transport.js';

/**
 * A web action has no JSON form: it answers with a redirect, whether it was done or refused (D39). So the resource is
 * read afterwards, and its state tells (D40). Already being in the state asked for counts as success.
 */
export function act<Item extends object>(
  transport: Transport,
  action: Operation<unknown>,
  show: Operation<Item>,
  [field, wanted]: readonly [field: keyof Item & string, wanted: string],
  ids: readonly Id[],
  options: CallOptions,
): ApiPromise<Item> {
  return new ApiPromise(async () => {
    const resource = transport.url(show, ids);
    const call = { operation: action, url: transport.url(action, ids), outdates: resource, options };
    checkAction(action, await transport.send(call));
    const shown = await transport.send({ operation: show, url: resource, options });
    const result = read(show, shown, transport.settings);
    const state = shown.redact(String(result.data[field]));
    if (state !== wanted) throw new TransitionError(action.operation, state, wanted);
    return result;
  });
}
