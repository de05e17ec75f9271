import type { OperationName } from '@mkt/sdk/contract';
import type { Exchange } from '@mkt/server';
import type { Entry, OverrideCall } from './operation-types.js';

// Loaded on demand, so it imports nothing.

const totals = (length: number): Record<string, string> => ({
  'Total-Count': String(length),
  'Total-Pages': '1',
  'Current-Page': '1',
  'Page-Items': String(Math.max(length, 1)),
});

/** The response of the first override that has one. */
export async function responseOf(overrides: readonly Entry[], exchange: Exchange, usual: number) {
  for (const { override } of overrides) {
    const call: OverrideCall<OperationName> = {
      // The marketplace may read the body, too.
      request: exchange.request.clone(),
      response: (json: unknown, { status = usual, headers = {} } = {}) =>
        json === undefined
          ? exchange.respond(status, null, headers)
          : exchange.json(status, json, { ...(Array.isArray(json) && totals(json.length)), ...headers }),
    };
    const result = await override(call);
    if (result instanceof Response) return result;
    if (result !== undefined) throw new TypeError('It must return a Response, such as response(json), or nothing');
  }
  return undefined;
}
