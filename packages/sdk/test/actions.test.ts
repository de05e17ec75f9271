import {
  AuthenticationError,
  HttpError,
  type Marketplace,
  NotFoundError,
  PermissionError,
  ResponseParseError,
  TransitionError,
} from '@mkt/sdk';
import { describe, expect, it } from 'vitest';
import { client, failure } from './support/client.js';
import { sampleCampaign } from './support/samples.js';
import { json, redirect, type Step, scripted, text } from './support/scripted-server.js';

const resourcePage = redirect('/organizations/5/campaigns/1');
const now = (status: string) => json(sampleCampaign({ status }));

describe('a web action (D40)', () => {
  it.each([
    ['publish', 'active', (mkt: Marketplace) => mkt.campaigns.publish(5, 1)],
    ['pause', 'paused', (mkt: Marketplace) => mkt.campaigns.pause(5, 1)],
    ['resume', 'active', (mkt: Marketplace) => mkt.organization(5).campaigns.resume(1)],
  ] as const)('%s gives the campaign as it now is', async (name, status, act) => {
    await using server = await scripted(resourcePage, now(status));
    expect(await act(client(server.url))).toMatchObject({ id: 1, status });
    expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `POST /organizations/5/campaigns/1/${name}`,
      'GET /organizations/5/campaigns/1.json',
    ]);
  });

  it.each([
    ['submit', 'submitted_for_review', (mkt: Marketplace) => mkt.collabs.submit(5, 1)],
    ['pause', 'paused', (mkt: Marketplace) => mkt.collabs.pause(5, 1)],
    ['unpause', 'published', (mkt: Marketplace) => mkt.organization(5).collabs.unpause(1)],
  ] as const)('%s gives the collab as it now is', async (name, state, act) => {
    await using server = await scripted(redirect('/'), json({ id: 1, state }));
    expect(await act(client(server.url))).toMatchObject({ id: 1, state });
    expect(server.seen[0]?.url).toBe(`/organizations/5/collabs/1/${name}`);
  });

  it('that was rejected throws an error with the state', async () => {
    await using server = await scripted(resourcePage, now('finished'));
    const error = await failure(client(server.url).campaigns.resume(5, 1), TransitionError);
    expect(error).toMatchObject({ from: 'finished', wanted: 'active', operation: 'campaigns.resume' });
    expect(error.message).toBe('campaigns.resume was rejected: the state is finished, not active.');
  });

  it('that leads where the campaign is already counts as success', async () => {
    await using server = await scripted(resourcePage, now('active'));
    expect((await client(server.url).campaigns.publish(5, 1)).status).toBe('active');
  });

  it.each(['/sign_in', '/sign_in?return_to=%2Fx', 'https://accounts.example/en/sign_in/'])(
    'that is sent on to %s was not authenticated',
    async (location) => {
      await using server = await scripted(redirect(location));
      const error = await failure(client(server.url).campaigns.publish(5, 1), AuthenticationError);
      expect(error.message).toContain('sign-in page');
      expect(server.seen).toHaveLength(1);
    },
  );

  it.each([
    [401, AuthenticationError],
    [403, PermissionError],
    [404, NotFoundError],
  ] as const)('fails with the error of a %i response', async (status, type) => {
    await using server = await scripted(text(status, ''));
    await failure(client(server.url).campaigns.publish(5, 1), type);
    expect(server.seen).toHaveLength(1);
  });

  it('is judged by the state, whatever the redirect or page says', async () => {
    const answers: Step[] = [
      redirect('https://elsewhere.example/x', 302),
      text(200, '<html>A form.</html>'),
      text(204, ''),
    ];
    for (const answer of answers) {
      await using server = await scripted(answer, now('active'));
      expect((await client(server.url).campaigns.publish(5, 1)).status).toBe('active');
    }
  });

  it('works where the redirect is hidden, as in browsers', async () => {
    await using server = await scripted(now('active'));
    const fetch = async (address: string | Request, init: RequestInit) => {
      if (init.method === 'GET') return globalThis.fetch(address, init);
      expect(init.redirect).toBe('manual');
      const opaque = Response.error();
      Object.defineProperty(opaque, 'type', { value: 'opaqueredirect' });
      return opaque;
    };
    const mkt = client(server.url, { fetch });
    expect((await mkt.campaigns.publish(5, 1)).status).toBe('active');
    const { message } = await failure(mkt.campaigns.delete(5, 1), HttpError);
    expect(message).toBe(
      `DELETE ${server.url}/organizations/5/campaigns/1.json returned a redirect. Browsers do not say where to: check the token and the option baseUrl.`,
    );
  });

  it('gives what is known about the reading', async () => {
    await using server = await scripted(resourcePage, now('active'));
    const { meta, response } = await client(server.url).campaigns.publish(5, 1).withResponse();
    expect(meta).toMatchObject({ status: 200, fromCache: false });
    expect(await response.json()).toMatchObject({ status: 'active' });
  });
});

it('a read that is sent on to the sign-in page was not authenticated', async () => {
  await using server = await scripted(
    redirect('/sign_in', 302),
    text(200, '<html>Sign in</html>', { 'content-type': 'text/html' }),
  );
  await failure(client(server.url).campaigns.get(5, 1), AuthenticationError);
});

it('a read that is sent on elsewhere is followed', async () => {
  await using server = await scripted(
    redirect('/organizations/5/campaigns/2.json', 302),
    now('active'),
    text(200, '<html>'),
  );
  expect((await client(server.url).campaigns.get(5, 1)).status).toBe('active');
  await failure(client(server.url).campaigns.get(5, 1), ResponseParseError);
});
