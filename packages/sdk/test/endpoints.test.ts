import { AbortedError, Marketplace } from '@mkt/sdk';
import {
  type Endpoint,
  endpoints,
  examples,
  parametersOf,
  type ResourceDescription,
  type ResourceExamples,
  type ResourceName,
  resources,
} from '@mkt/sdk/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure } from './support/client.js';
import { type ScriptedServer, scripted } from './support/scripted-server.js';

const urlOf = ({ path }: Endpoint): string => path.replace(':organization_id', '5').replace(/:[a-z_]+/g, '7');

/** The field with the state of the resource. */
const stateOf = ({ operation }: Endpoint): string => {
  const { states }: ResourceDescription = resources[operation.split('.')[0] as ResourceName];
  return states?.field ?? '';
};

/** The arguments of an endpoint's method: 5 for the organization, 7 for other ids, the example's fields. */
function argumentsOf({ operation, path, request }: Endpoint): unknown[] {
  const [resource, name = ''] = operation.split('.') as [ResourceName, string?];
  const { requests }: ResourceExamples<Record<string, Endpoint<unknown, object>>> = examples[resource];
  const ids = parametersOf(path).map((parameter) => (parameter === 'organization_id' ? 5 : 7));
  return request ? [...ids, requests[name]?.fields ?? {}] : ids;
}

type Methods = Readonly<Record<string, Readonly<Record<string, (...args: unknown[]) => PromiseLike<unknown>>>>>;

/** Calls the method of an endpoint, through `mkt.organization(5)` if it is there too. */
function call(mkt: Marketplace, endpoint: Endpoint, isBound: boolean, ...more: unknown[]): PromiseLike<unknown> {
  const [resource = '', name = ''] = endpoint.operation.split('.');
  const args = argumentsOf(endpoint);
  const from = (isBound ? mkt.organization(5) : mkt) as unknown as Methods;
  const method = from[resource]?.[name];
  if (!method) throw new Error(`packages/sdk/src/clients has no method for ${endpoint.operation}.`);
  return method.apply(from[resource], [...(isBound ? args.slice(1) : args), ...more]);
}

describe('every endpoint of the contract', () => {
  let server: ScriptedServer;
  let present: object = {};
  beforeAll(async () => {
    server = await scripted((response, { method, url }) => {
      const found = endpoints.find((each) => each.method === method && urlOf(each) === url);
      const action = found?.transition;
      // The state that the action leads to is what the resource has then.
      if (found && action) present = { [stateOf(found)]: action.to };
      const status = action ? 303 : method === 'DELETE' ? 204 : 200;
      response.writeHead(status, {
        'content-type': 'application/json',
        ...(action && { location: url.replace(/\/\w+$/, '') }),
      });
      response.end(status === 200 ? JSON.stringify(found?.paginated ? [present] : present) : undefined);
    });
  });
  afterAll(() => server.close());

  const isBound = ({ path }: Endpoint): boolean => path.includes('/:organization_id/');
  it.each([
    ...endpoints.map((endpoint) => ({ operation: endpoint.operation, endpoint, bound: false })),
    ...endpoints.filter(isBound).map((endpoint) => ({
      operation: `organization(5).${endpoint.operation}`,
      endpoint,
      bound: true,
    })),
  ])('$operation', async ({ endpoint, bound }) => {
    const mkt = new Marketplace({ token: 'secret', baseUrl: server.url });
    server.seen.length = 0;
    await call(mkt, endpoint, bound);

    const [request] = server.seen;
    expect(request).toMatchObject({ method: endpoint.method, url: urlOf(endpoint) });
    expect(request?.headers).toMatchObject({ accept: 'application/json', authorization: 'Bearer secret' });
    if (endpoint.request) {
      expect(request?.headers['content-type']).toBe('application/json');
      expect(Object.keys(JSON.parse(String(request?.body)))).toEqual([endpoint.request.wrapper]);
    } else expect(request?.body).toHaveLength(0);
    // A web action is followed by reading the resource (D40).
    expect(server.seen.slice(1).map(({ method }) => method)).toEqual(endpoint.status === 303 ? ['GET'] : []);
  });

  it.each(endpoints.map((endpoint) => ({ operation: endpoint.operation, endpoint })))(
    '$operation takes a signal',
    async ({ endpoint }) => {
      const mkt = new Marketplace({ token: 'secret', baseUrl: server.url });
      server.seen.length = 0;
      await failure(call(mkt, endpoint, false, { signal: AbortSignal.abort() }), AbortedError);
      expect(server.seen).toHaveLength(0);
    },
  );

  it.each(endpoints.map((endpoint) => ({ operation: endpoint.operation, endpoint })))(
    '$operation sends the token of the call, and no other',
    async ({ endpoint }) => {
      const mkt = new Marketplace({ token: 'secret', baseUrl: server.url });
      server.seen.length = 0;
      await call(mkt, endpoint, false, { token: 'tenant-eve' });
      const tokens = server.seen.map(({ headers }) => headers.authorization);
      expect(new Set(tokens)).toEqual(new Set(['Bearer tenant-eve']));
    },
  );
});
