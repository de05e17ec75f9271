import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { demoTokens } from '../../src/index.js';
import { type AttackRequest, attacks, largestCampaign, type Target } from './attacks.js';
import { organizationForm, png } from './pictures.js';

/** Sends a request over a connection of its own. @returns its status */
export function send(url: string, { method = 'GET', path, headers = {}, body }: AttackRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    // A connection that may be used again: the server reads on after an early response.
    const agent = new Agent({ keepAlive: true });
    const sent = request(url, { method, path, headers: { ...headers, ...length }, agent });
    sent.on('response', (response: IncomingMessage) => {
      response.resume();
      resolve(response.statusCode ?? 0);
      response.on('end', () => agent.destroy());
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

interface Place {
  readonly url: string;
  readonly target: Target;
}

const campaigns = '/organizations/5/campaigns';
const api = { Authorization: `Bearer ${demoTokens.ada_write}`, Accept: 'application/json' };
const headOf = (method: string, path: string, more: Readonly<Record<string, string | number>> = {}): string =>
  [
    `${method} ${path} HTTP/1.1`,
    ...Object.entries({ Host: 'localhost', ...api, ...more }).map((line) => line.join(': ')),
  ]
    .concat('', '')
    .join('\r\n');
const together = (count: number, work: (place: number) => Promise<unknown>): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, (_, place) => work(place)));

const opened = async ({ url }: Place): Promise<Socket> => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setNoDelay();
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  return socket;
};
/** Closes the connection after a while, unless the server has. */
const closed = async (socket: Socket, seconds: number): Promise<void> => {
  await Promise.race([once(socket, 'close'), delay(seconds * 1000)]);
  socket.destroy();
};

let tried = 0;

/** What someone with one write token may try. Each is repeated for as long as the attack takes. */
export const attackers: Readonly<Record<string, (place: Place) => Promise<unknown>>> = {
  async 'each attack of the table'({ url, target }) {
    const attack = attacks[tried++ % attacks.length];
    const one = attack?.request(target);
    if (one) await together(Math.min(attack?.times ?? 1, 5), () => send(url, one));
  },
  async 'uploads that stall'(place) {
    await together(40, async () => {
      const socket = await opened(place);
      const head = { 'Content-Type': 'multipart/form-data; boundary=x', 'Content-Length': 9_000_000 };
      socket.write(headOf('POST', '/organizations.json', head));
      socket.write(Buffer.alloc(2_000_000, 'x'));
      await closed(socket, 12);
    });
  },
  async 'headers that arrive slowly'(place) {
    await together(40, async (count) => {
      const socket = await opened(place);
      socket.write('GET /organizations.json HTTP/1.1\r\nHost: localhost\r\n');
      for (let line = 0; line < 5 && !socket.destroyed; line += 1) {
        socket.write(`X-${count}: ${'x'.repeat(2000)}\r\n`);
        await delay(1000);
      }
      socket.destroy();
    });
  },
  async 'a body byte by byte'(place) {
    await together(4, async () => {
      const socket = await opened(place);
      socket.write(
        headOf('POST', `${campaigns}.json`, { 'Content-Type': 'application/json', 'Content-Length': 50_000 }),
      );
      for (let sent = 0; sent < 5000 && !socket.destroyed; sent += 1) {
        socket.write(' ');
        if (sent % 10 === 0) await delay(1);
      }
      socket.destroy();
    });
  },
  async 'pipelined requests'(place) {
    const socket = await opened(place);
    const body = JSON.stringify({ campaign: { name: 'Pipelined', brief: '<p>Hello <b>you</b></p>'.repeat(400) } });
    const head = headOf('POST', `${campaigns}.json`, {
      'Content-Type': 'application/json',
      'Content-Length': body.length,
    });
    socket.resume().write((head + body).repeat(5) + headOf('GET', `${campaigns}.json`).repeat(200));
    await closed(socket, 1);
  },
  async 'bodies that nothing reads'(place) {
    await together(4, async (count) => {
      const socket = await opened(place);
      const isChunked = count % 2 === 0;
      const length = isChunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': 60_000_000 };
      socket.resume().write(headOf('POST', '/nowhere', length));
      const part = isChunked ? '1\r\nx\r\n'.repeat(10_000) : Buffer.alloc(60_000, 'x');
      const send = (): void => {
        while (!socket.destroyed && socket.write(part));
      };
      socket.on('drain', send);
      send();
      await closed(socket, 3);
    });
  },
  async 'requests for another host'(place) {
    await together(20, async () => {
      const socket = await opened(place);
      socket.resume().write(headOf('GET', '/', { Host: 'evil.example' }).repeat(50));
      await closed(socket, 1);
    });
  },
  async 'floods of health checks'({ url }) {
    await together(100, (place) => send(url, { path: place % 2 ? '/readyz' : '/livez' }));
  },
  async 'searches and sorts'({ url, target }) {
    const queries = ['name=a', 'name=sum', 'name=%25%25%25', 'sort=views', 'sort=name&used=80', 'name=xyz&sort=budget'];
    const headers = { Cookie: target.cookie };
    await together(12, (place) => {
      const query = queries[place % queries.length];
      return send(url, { path: place % 4 ? `${campaigns}?${query}` : `/organizations/5/search?${query}`, headers });
    });
  },
  async 'downloads that are left in the middle'(place) {
    await together(5, async () => {
      const socket = await opened(place);
      socket.write(headOf('GET', `${campaigns}.csv`, { Accept: '*/*', Cookie: place.target.cookie }));
      await Promise.race([once(socket, 'data'), delay(3000)]);
      socket.destroy();
    });
  },
  async 'images that are not read'(place) {
    const image = new Uint8Array(4 * 1024 * 1024).fill(7);
    image.set(png);
    const sent = { method: 'PATCH', headers: api, body: organizationForm({}, image) };
    const changed = await fetch(`${place.url}/organizations/7.json`, sent);
    const { logo_url: logo } = (await changed.json()) as { logo_url?: string };
    if (!logo) return;
    await together(20, async () => {
      const socket = await opened(place);
      socket.pause().write(headOf('GET', new URL(logo).pathname).repeat(3));
      await closed(socket, 5);
    });
  },
  async 'guesses of tokens'({ url, target }) {
    const guess = () => `mkt_${Math.random()}`;
    const sent = (place: number): AttackRequest =>
      place % 2
        ? { path: '/organizations.json', headers: { ...api, Authorization: `Bearer ${guess()}` } }
        : {
            method: 'POST',
            path: '/sign_in',
            headers: { Cookie: target.visit, 'Content-Type': 'application/x-www-form-urlencoded' },
            body: `csrf_token=${target.visitCsrf}&token=${guess()}`,
          };
    await together(20, (place) => send(url, sent(place)));
  },
  async 'tokens made and revoked'({ url }) {
    const made = await fetch(`${url}/me/access_tokens.json`, {
      method: 'POST',
      headers: { ...api, 'Content-Type': 'application/json' },
      body: '{"access_token":{"description":"More","permission":"write"}}',
    });
    const { id } = (await made.json()) as { id?: number };
    if (id) await send(url, { method: 'DELETE', path: `/me/access_tokens/${id}.json`, headers: api });
  },
  async 'large pages'({ url, target }) {
    await send(url, largestCampaign);
    const headers = { 'Accept-Encoding': 'br', Cookie: target.cookie };
    const paths = ['/docs', '/openapi.json', `${campaigns}?as=json`, `${campaigns}?print=1`];
    await together(8, (place) => send(url, { path: paths[place % paths.length] as string, headers }));
  },
};
