import { inspect } from 'node:util';
import { HttpError, Marketplace, TransitionError } from '@mkt/sdk';
import { describe, expect, it } from 'vitest';
import { client, failure, token } from './support/client.js';
import { sampleCampaign } from './support/samples.js';
import { drop, empty, hang, json, redirect, type Step, scripted, stall, text } from './support/scripted-server.js';

/** Everything that a program might print of a value. */
const printed = (value: unknown): string => {
  const parts = [inspect(value, { depth: 20, showHidden: true }), JSON.stringify(value), String(value)];
  for (let error = value; error instanceof Error; error = error.cause)
    parts.push(error.stack ?? '', error.message, JSON.stringify(Object.getOwnPropertyDescriptors(error)));
  const { headers } = (value ?? {}) as { headers?: unknown };
  if (headers instanceof Headers) parts.push(JSON.stringify([...headers]));
  return parts.join('\n');
};

/** A server that repeats the request's authorization wherever it can. */
const echo =
  (status: number): Step =>
  (response, { headers: { authorization = '' } }) =>
    json(
      { error: `Bad token ${authorization}`, errors: { token: [authorization] } },
      { status, headers: { 'x-echo': authorization } },
    )(response, { method: '', url: '', headers: {}, body: Buffer.alloc(0) });

describe('printed values never contain the token', () => {
  const steps: [string, Step][] = [
    ...[400, 401, 403, 404, 422, 429, 500].map((status): [string, Step] => [
      `a ${status} that repeats it`,
      echo(status),
    ]),
    ['a dropped connection', drop],
    ['a timeout', hang],
    ['a body that stalls', stall],
    ['a redirect that repeats it', redirect(`/sign_in?token=${token}`)],
    ['HTML that repeats it', text(200, `<p>${token}</p>`)],
    ['text that is nothing else', text(200, token)],
    ['no HTTP, but the request itself', ({ socket }, { headers }) => void socket?.end(`${headers.authorization}\r\n`)],
    ['broken JSON that repeats it', text(200, `{"token": "${token}`)],
    ['drift that repeats it', json({ id: { token } })],
    ['drift that repeats it in the place of a known name', json({ id: 1, status: `is ${token}` })],
  ];

  it.each(steps)('%s', async (_, step) => {
    await using server = await scripted(step);
    const lines: string[] = [];
    const write = (...line: unknown[]) => lines.push(JSON.stringify(line));
    const logger = { debug: write, info: write, warn: write };
    const mkt = client(server.url, { logger, timeout: 50, validation: 'strict' });
    const calls = [
      mkt.campaigns.get(5, 1),
      mkt.campaigns.update(5, 1, { name: 'x' }),
      mkt.campaigns.publish(5, 1),
      mkt.campaigns.list(5),
      mkt.request('GET', `/search?access_token=${token}`),
    ];
    const results = await Promise.allSettled(calls);
    const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    expect(errors.length).toBeGreaterThan(2);
    for (const error of errors) expect(printed(error)).not.toContain(token);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join('\n')).not.toContain(token);
  });

  it('a state that repeats it, after an action', async () => {
    // A state of the contract that is the token.
    await using server = await scripted(redirect('/'), json(sampleCampaign({ status: 'finished' })));
    const error = await failure(client(server.url, { token: 'finished' }).campaigns.publish(5, 1), TransitionError);
    expect(error.from).toBe('[token]');
    expect(printed(error)).not.toContain(token);
  });

  it('a token in the form that it takes in an address', async () => {
    const odd = 'a+b/c==';
    const encoded = encodeURIComponent(odd);
    await using server = await scripted(redirect(`/sign_in?token=${encoded}`), redirect(`/else?token=${encoded}`));
    const mkt = client(server.url, { token: odd });
    for (const call of [mkt.campaigns.update(5, 1, {}), mkt.campaigns.update(5, 1, {})]) {
      const error = await failure(call, HttpError);
      expect(error.headers.get('location')).toContain('[token]');
      expect(printed(error)).not.toContain(encoded);
    }
  });

  it('a client, its resources, its promises and its results', async () => {
    await using server = await scripted(json(sampleCampaign(), { headers: { etag: '"1"' } }));
    const mkt = client(server.url);
    const call = mkt.campaigns.get(5, 1);
    const result = await call.withResponse();
    const list = mkt.campaigns.list(5);
    await list.catch(() => undefined);
    for (const value of [
      mkt,
      mkt.campaigns,
      mkt.organization(5),
      call,
      result,
      result.response,
      list,
      mkt.withOptions({}),
    ])
      expect(printed(value)).not.toContain(token);
  });

  it('a token that cannot be sent', () => {
    for (const bad of [`${token}\n`, `${token} x`, `${token}é`]) {
      let error: unknown;
      try {
        new Marketplace({ token: bad, baseUrl: 'http://localhost' });
      } catch (caught) {
        error = caught;
      }
      expect(error).toBeInstanceOf(Error);
      expect(printed(error)).not.toContain(token);
    }
  });

  it('is not sent to other servers', async () => {
    await using other = await scripted(json({}));
    await using server = await scripted(redirect(`${other.url}/moved`, 302), empty(404));
    const mkt = client(server.url, { allowRedirects: true });
    await expect(mkt.request('GET', `${other.url}/x`)).rejects.toMatchObject({ name: 'ConfigurationError' });
    await Promise.allSettled([mkt.campaigns.get(5, 1), mkt.request('GET', `//${new URL(other.url).host}/x`)]);
    expect(other.seen).toHaveLength(1);
    for (const { headers } of other.seen) expect(JSON.stringify(headers)).not.toContain(token);
  });
});
