import type { Endpoint } from '@mkt/sdk/contract';
import type { Exchange, ResponseClass } from './exchange.js';
import type { ServiceDifference } from './like.js';

/** Statuses that the API document does not have, by resource. They replace ones that no client can set or wait for. */
const newStatuses: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  campaigns: { finished: 'archived' },
  socialAccounts: { failed: 'suspended' },
};

/**
 * Changes JSON responses to those of a service with these differences. It comes after everything else, so that nothing
 * depends on it. ETags stay: changed representations are equal if and only if the original ones are.
 */
export function responsesWith(
  differences: ReadonlySet<ServiceDifference>,
  endpoints: readonly Endpoint[],
  ResponseOf: ResponseClass,
) {
  const operations = new Map(endpoints.map((endpoint) => [endpoint.operation, endpoint]));

  const changedItem = (resource: string, item: Readonly<Record<string, unknown>>): object => {
    const changed = { ...item };
    const status = newStatuses[resource]?.[String(item.status)];
    if (differences.has('new-values') && status !== undefined) changed.status = status;
    if (differences.has('absent-null'))
      for (const [name, value] of Object.entries(item)) if (value === null) delete changed[name];
    return differences.has('extra-fields') ? { ...changed, resource_type: resource, is_archived: false } : changed;
  };

  const withBody = (exchange: Exchange, response: Response, body: string | null, type: string | null): Response => {
    const { status, statusText } = response;
    const headers = new Headers([...response.headers]);
    // In a response to HEAD, it is the length of the original body.
    headers.delete('Content-Length');
    if (type === null) headers.delete('Content-Type');
    else headers.set('Content-Type', type);
    if (differences.has('hidden-totals')) for (const name of ['Total-Count', 'Total-Pages']) headers.delete(name);
    return new ResponseOf(exchange.method === 'HEAD' ? null : body, { status, statusText, headers });
  };

  return async (exchange: Exchange, response: Response): Promise<Response> => {
    const { status } = response;
    if (!exchange.wantsJson) return response;
    if (status === 404 && differences.has('empty-404')) return withBody(exchange, response, null, null);
    // As in Rails, whose scheme `Token` the API uses.
    if (status === 401 && differences.has('text-401'))
      return withBody(exchange, response, 'HTTP Token: Access denied.\n', 'text/plain; charset=utf-8');
    const endpoint = operations.get(exchange.operation ?? '');
    if (!endpoint?.response || !(status === 200 || status === 201)) return response;
    const text = await response.text();
    const [resource = ''] = endpoint.operation.split('.', 1);
    const json: unknown = text === '' ? null : JSON.parse(text);
    const changed = Array.isArray(json)
      ? json.map((item) => changedItem(resource, item))
      : json && changedItem(resource, json as Readonly<Record<string, unknown>>);
    return withBody(exchange, response, JSON.stringify(changed), response.headers.get('Content-Type'));
  };
}
