import { endpoints } from '@mkt/sdk/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Marketplace } from '../src/index.js';
import { type ScriptedServer, scripted } from './support/scripted-server.js';

/** Calls every endpoint once with the ids 5 and 7, with `x` for what they send. */
const calls: Record<string, (mkt: Marketplace) => PromiseLike<unknown>> = {
  'accessTokens.list': (mkt) => mkt.accessTokens.list(),
  'accessTokens.create': (mkt) => mkt.accessTokens.create({ description: 'x', permission: 'read' }),
  'accessTokens.delete': (mkt) => mkt.accessTokens.delete(7),
  'organizations.list': (mkt) => mkt.organizations.list(),
  'organizations.get': (mkt) => mkt.organizations.get(7),
  'organizations.create': (mkt) => mkt.organizations.create({ name: 'x' }),
  'organizations.update': (mkt) => mkt.organizations.update(7, { name: 'x' }),
  'organizations.delete': (mkt) => mkt.organizations.delete(7),
  'members.list': (mkt) => mkt.organization(5).members.list(),
  'members.update': (mkt) => mkt.members.update(5, 7, { role: 'admin' }),
  'members.remove': (mkt) => mkt.organization(5).members.remove(7),
  'campaigns.list': (mkt) => mkt.campaigns.list(5),
  'campaigns.get': (mkt) => mkt.organization(5).campaigns.get(7),
  'campaigns.create': (mkt) => mkt.campaigns.create(5, { name: 'x' }),
  'campaigns.update': (mkt) => mkt.organization(5).campaigns.update(7, { name: 'x' }),
  'campaigns.delete': (mkt) => mkt.campaigns.delete(5, 7),
  'campaigns.publish': (mkt) => mkt.organization(5).campaigns.publish(7),
  'campaigns.pause': (mkt) => mkt.campaigns.pause(5, 7),
  'campaigns.resume': (mkt) => mkt.campaigns.resume(5, 7),
  'collabs.list': (mkt) => mkt.collabs.list(5),
  'collabs.get': (mkt) => mkt.collabs.get(5, 7),
  'collabs.create': (mkt) => mkt.collabs.create(5, { name: 'x' }),
  'collabs.update': (mkt) => mkt.collabs.update(5, 7, { name: 'x' }),
  'collabs.delete': (mkt) => mkt.collabs.delete(5, 7),
  'collabs.submit': (mkt) => mkt.organization(5).collabs.submit(7),
  'collabs.pause': (mkt) => mkt.collabs.pause(5, 7),
  'collabs.unpause': (mkt) => mkt.collabs.unpause(5, 7),
  'socialAccounts.list': (mkt) => mkt.socialAccounts.list(),
  'socialAccounts.get': (mkt) => mkt.socialAccounts.get(7),
  'socialAccounts.create': (mkt) => mkt.socialAccounts.create({ platform_id: 'x', account_url: 'x' }),
  'socialAccounts.delete': (mkt) => mkt.socialAccounts.delete(7),
  'address.get': (mkt) => mkt.address.get(),
  'address.update': (mkt) => mkt.address.update({ city: 'x' }),
  'address.delete': (mkt) => mkt.address.delete(),
};

/** The state that each action leads to (D37, D38). */
const reached: Record<string, object> = {
  publish: { status: 'active' },
  pause: { status: 'paused', state: 'paused' },
  resume: { status: 'active' },
  submit: { state: 'submitted_for_review' },
  unpause: { state: 'published' },
};

describe('every endpoint of the contract', () => {
  let server: ScriptedServer;
  let present: object = {};
  beforeAll(async () => {
    server = await scripted((response, { method, url }) => {
      const isList = (path: string) => path.replace(':organization_id', '5') === url;
      const list = method === 'GET' && endpoints.some((one) => one.paginated && isList(one.path));
      const action = /\/(publish|pause|resume|submit|unpause)$/.exec(url)?.[1];
      if (action) present = reached[action] ?? {};
      const status = action ? 303 : method === 'DELETE' ? 204 : 200;
      response.writeHead(status, {
        'content-type': 'application/json',
        ...(action && { location: url.replace(/\/\w+$/, '') }),
      });
      response.end(status === 200 ? JSON.stringify(list ? [present] : present) : undefined);
    });
  });
  afterAll(() => server.close());

  it('has a call in this test', () => {
    expect(Object.keys(calls).sort()).toEqual(endpoints.map(({ operation }) => operation).sort());
  });

  it.each(endpoints)('$operation', async (endpoint) => {
    const mkt = new Marketplace({ token: 'secret', baseUrl: server.url });
    server.seen.length = 0;
    await calls[endpoint.operation]?.(mkt);

    const [request] = server.seen;
    const path = endpoint.path.replace(':organization_id', '5').replace(':id', '7');
    expect(request).toMatchObject({ method: endpoint.method, url: path });
    expect(request?.headers).toMatchObject({ accept: 'application/json', authorization: 'Bearer secret' });
    if (endpoint.request) {
      expect(request?.headers['content-type']).toBe('application/json');
      expect(Object.keys(JSON.parse(String(request?.body)))).toEqual([endpoint.request.wrapper]);
    } else expect(request?.body).toHaveLength(0);
    // A web action is followed by reading the resource (D40).
    expect(server.seen.slice(1).map(({ method }) => method)).toEqual(endpoint.status === 303 ? ['GET'] : []);
  });
});
