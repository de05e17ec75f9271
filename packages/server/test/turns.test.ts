import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { demoSeed, demoTokens } from '../src/index.js';
import { serve } from '../src/node/serve.js';
import { Turns } from '../src/node/turns.js';
import { send } from './support/served.js';
import { openTestStore, storeKinds } from './support/stores.js';

const campaigns = '/organizations/5/campaigns.json';
const body = JSON.stringify({ campaign: { name: 'One of many', brief: '<p>Hello <b>you</b></p>'.repeat(400) } });
const request = (method: string, token: string, sent = '') =>
  `${method} ${campaigns} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nAccept: application/json\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${sent.length}\r\n\r\n${sent}`;

describe.each(storeKinds)('a caller with 32 connections, on %s', (kind) => {
  test.each([
    ['one token', 1],
    ['several tokens', 4],
  ])('and %s keeps the requests of another one waiting for few of its own', async (_, count) => {
    const { store, dispose } = await openTestStore(kind);
    await store.load(demoSeed());
    const server = await serve({ store, port: 0 });
    const sockets: Socket[] = [];
    try {
      const { hostname, port } = new URL(server.url);
      const open = async () => {
        const socket = connect(Number(port), hostname);
        sockets.push(socket);
        await once(socket, 'connect');
        return socket;
      };
      const tokens: string[] = [demoTokens.ada_write];
      while (tokens.length < count) {
        const made = { access_token: { description: 'More', permission: 'write' } };
        tokens.push((await send(server.url, 'ada_write', 'POST', '/me/access_tokens.json', made)).body.token);
      }
      const attackers = await Promise.all(Array.from({ length: 32 }, open));
      const other = await open();
      const respondTo = async (socket: Socket, text: string, status: number): Promise<void> => {
        socket.write(text);
        const [first] = await once(socket, 'data');
        expect(String(first)).toContain(`HTTP/1.1 ${status} `);
      };
      // The server knows both, and has loaded what it loads with its first requests.
      for (const token of tokens) await respondTo(other, request('POST', token, body), 201);
      await respondTo(other, request('GET', demoTokens.cleo_write), 200);

      let before = 0;
      const answers = attackers.map((socket, index) =>
        respondTo(socket, request('POST', tokens[index % count] ?? '', body), 201).then(() => {
          before += 1;
        }),
      );
      await respondTo(other, request('GET', demoTokens.cleo_write), 200);
      expect(before).toBeLessThan(8);
      await Promise.all(answers);
    } finally {
      for (const socket of sockets) socket.destroy();
      await server.close();
      await dispose();
    }
  });
});

test('a session counts for its user, whatever other cookies its browser sends', async () => {
  const turns = new Turns();
  turns.identified({ cookie: 'mkt_session_4010=one; mkt_flash=a' }, 'ada');
  turns.identified({ authorization: 'Bearer two' }, 'ada');
  const wait = (headers: Parameters<Turns['wait']>[0]) => turns.wait(headers, '127.0.0.1');
  expect(wait({})).toBeUndefined();
  expect(wait({ cookie: 'mkt_session_4010=one' })).toBeUndefined();
  const start = performance.now();
  while (performance.now() - start < 2);
  const waiting = [wait({ cookie: 'mkt_flash=b; mkt_session_4010=one' }), wait({ authorization: 'Bearer two' })];
  expect(waiting).toEqual([expect.any(Promise), expect.any(Promise)]);
  await Promise.all(waiting);
});
