import { Writable } from 'node:stream';
import type { MarketplaceOptions } from '@mkt/sdk';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createLogger, format, transports } from 'winston';
import { client, failure, token } from './support/client.js';
import { sampleCampaign } from './support/samples.js';
import { json, scripted, text } from './support/scripted-server.js';

type Log = NonNullable<MarketplaceOptions['logger']>;

/** A stream that collects what is written to it. */
function collecting(): { lines: () => Record<string, unknown>[]; stream: Writable } {
  let written = '';
  const write: Writable['_write'] = (chunk, _encoding, done) => {
    written += chunk;
    done();
  };
  const stream = new Writable({ write });
  return {
    lines: () =>
      written
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    stream,
  };
}

it.each<[string, string, (stream: Writable) => Log]>([
  ['pino', 'msg', (stream) => pino({ level: 'debug' }, stream)],
  ['a child of pino', 'msg', (stream) => pino({ level: 'debug' }, stream).child({ module: 'mkt' })],
  [
    'winston',
    'message',
    (stream) =>
      createLogger({ level: 'debug', format: format.json(), transports: [new transports.Stream({ stream })] }),
  ],
  [
    'a function',
    'message',
    (stream) => (level, message, fields) => {
      stream.write(`${JSON.stringify({ level, message, ...fields })}\n`);
    },
  ],
])('%s gets the message and the fields, without tokens and bodies', async (_, messageKey, create) => {
  const body = 'The body of an error';
  await using server = await scripted(
    text(503, body, { 'x-request-id': token }),
    json(sampleCampaign(), { headers: { 'x-request-id': `of ${token}` } }),
    text(404, body, { 'x-request-id': 'req-2' }),
  );
  const { lines, stream } = collecting();
  const onRetry = () => {
    throw new Error('my bug');
  };
  const mkt = client(server.url, { logger: create(stream), onRetry });
  await mkt.campaigns.get(5, 1);
  await failure(mkt.request('GET', `/x?secret=${token}`), Error);
  const logged = lines();
  expect(logged.map((line) => line[messageKey])).toEqual([
    expect.stringMatching(/^campaigns\.get: attempt 1 failed \(status 503\)/),
    expect.stringMatching(/^onRetry threw: my bug$/),
    expect.stringMatching(/^campaigns\.get: GET .* returned 200$/),
    `request: GET ${server.url}/x?secret=[token] returned 404`,
  ]);
  expect(logged.at(-2)).toMatchObject({
    operation: 'campaigns.get',
    status: 200,
    attempts: 2,
    requestId: 'of [token]',
  });
  expect(logged.at(-1)).toMatchObject({ operation: 'request', status: 404, requestId: 'req-2' });
  expect(JSON.stringify(logged)).not.toContain(token);
  expect(JSON.stringify(logged)).not.toContain(body);
  expect(JSON.stringify(logged)).not.toContain('Summer');
});
