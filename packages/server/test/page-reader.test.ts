import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { demoSeed, memoryStore } from '../src/index.js';
import { pageReader } from '../src/node/page-reader.js';
import { serve } from '../src/node/serve.js';
import { Turns } from '../src/node/turns.js';
import { RuleError } from '../src/rules/errors.js';
import { costRatio } from './support/cpu-time.js';
import { type Person, send } from './support/served.js';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const running: Server[] = [];
afterEach(() => {
  for (const server of running.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** A real web site on this machine, with what was asked of it. */
async function site(listener: RequestListener) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    listener(request, response);
  });
  running.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return { port, asked, host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}` };
}

const html =
  (text: string, type = 'text/html; charset=utf-8'): RequestListener =>
  (_request, response) =>
    response.setHeader('Content-Type', type).end(text);

/** The sentence that a caller gets, always on the field `website`. */
async function rejection(read: Promise<unknown>): Promise<string> {
  const error = await read.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RuleError)) throw new Error(`expected a rejection, got ${String(error)}`);
  expect(Object.keys(error.problems)).toEqual(['website']);
  return error.message;
}

describe('a draft from a page (D42)', () => {
  const product = `<!doctype html><html lang="de-CH"><head>
    <title>Fallback</title>
    <meta property="og:title" content="  Silk   Serum &amp; Oil ">
    <meta property="og:description" content="Soft <b>skin</b> &quot;always&quot;">
    <meta property="og:image" content="/pictures/serum.png">
    <meta property="og:locale" content="en_US">
    </head><body></body></html>`;

  test('uses the Open Graph title, description, image and locale', async () => {
    const { host, url } = await site((request, response) =>
      request.url === '/pictures/serum.png'
        ? response.setHeader('Content-Type', 'image/png').end(png)
        : html(product)(request, response),
    );
    const prefill = await pageReader({ allow: [host] })(`${url}/serum`);
    expect(prefill).toMatchObject({
      website: `${url}/serum`,
      name: 'Silk Serum & Oil',
      brief: '<p>Soft &lt;b&gt;skin&lt;/b&gt; "always"</p>',
      countries: ['US'],
    });
    expect(prefill.image?.type).toBe('image/png');
    expect(Buffer.compare(prefill.image?.bytes ?? new Uint8Array(), png)).toBe(0);
  });

  test('uses title, description and lang without Open Graph', async () => {
    const { host, url } = await site(
      html('<html lang="de-CH"><title>Seife\n kaufen</title><meta name="description" content="Gut.">'),
    );
    const prefill = await pageReader({ allow: [host] })(url);
    expect(prefill).toEqual({
      website: url,
      name: 'Seife kaufen',
      brief: '<p>Gut.</p>',
      countries: ['CH'],
      image: null,
    });
  });

  test('has the defaults for an empty page', async () => {
    const { host, url } = await site(html('<html lang="en"><p>Hello'));
    const prefill = await pageReader({ allow: [host] })(url);
    expect(prefill).toEqual({ website: url, name: null, brief: null, countries: null, image: null });
  });

  test('ignores unknown countries', async () => {
    const { host, url } = await site(html('<html lang="en-ZZ"><title>x</title>'));
    expect((await pageReader({ allow: [host] })(url)).countries).toBeNull();
  });

  test('cuts a name to 255 code points and removes characters that stores cannot save (D19, D33)', async () => {
    const { host, url } = await site(html(`<title>a&#0;b\0${'😀'.repeat(300)}</title>`));
    const name = (await pageReader({ allow: [host] })(url)).name ?? '';
    expect([...name]).toHaveLength(255);
    expect(name).not.toMatch(/[\0\p{Surrogate}]/u);
  });

  test('uses the encoding of the header or of the page', async () => {
    const latin = Buffer.from('<meta charset="iso-8859-1"><title>Caf\xe9</title>', 'latin1');
    const { host, url } = await site((_request, response) =>
      response.setHeader('Content-Type', 'text/html').end(latin),
    );
    expect((await pageReader({ allow: [host] })(url)).name).toBe('Café');
  });

  test.each(['iso-8859-1', 'windows-1252'])('reads %s as browsers do', async (charset) => {
    const latin = Buffer.from(`<meta charset="${charset}"><title>Caf\xe9 \x96 5 \x80x\x94</title>`, 'latin1');
    const { host, url } = await site((_request, response) =>
      response.setHeader('Content-Type', 'text/html').end(latin),
    );
    expect((await pageReader({ allow: [host] })(url)).name).toBe('Café – 5 €x”');
  });

  test('reads the head up to 1 MiB, however long the page is', async () => {
    const start = `<head><script>${'x'.repeat(300_000)}</script><title>Late</title></head>`;
    const page = Buffer.from(start + 'x'.repeat(2 * 1024 * 1024));
    const plain = await site((_request, response) => response.setHeader('Content-Type', 'text/html').end(page));
    const packed = await site((_request, response) =>
      response.setHeader('Content-Type', 'text/html').setHeader('Content-Encoding', 'gzip').end(gzipSync(page)),
    );
    for (const { host, url } of [plain, packed]) expect((await pageReader({ allow: [host] })(url)).name).toBe('Late');
  });

  test('tries the third image if the first is missing and the second is compressed, which it does not accept', async () => {
    const accepted: unknown[] = [];
    const { host, url } = await site((request, response) => {
      const image = response.setHeader('Content-Type', 'image/png');
      accepted.push(request.headers['accept-encoding']);
      if (request.url === '/a.png') response.writeHead(404).end();
      else if (request.url === '/b.png') image.setHeader('Content-Encoding', 'gzip').end(gzipSync(png));
      else if (request.url === '/c.png') image.end(png);
      else
        html(['a', 'b', 'c'].map((name) => `<meta property="og:image" content="/${name}.png">`).join(''))(
          request,
          response,
        );
    });
    expect((await pageReader({ allow: [host] })(url)).image?.bytes).toEqual(png);
    expect(accepted).toEqual([expect.stringContaining('gzip'), 'identity', 'identity', 'identity']);
  });

  test('follows up to three redirects and resolves the image against the last URL', async () => {
    const { host, url, asked } = await site((request, response) => {
      const hop = Number(request.url?.slice(1));
      if (hop < 3) response.writeHead(302, { Location: `/${hop + 1}` }).end();
      else html('<title>There</title><meta property="og:image" content="../p.png">')(request, response);
    });
    expect((await pageReader({ allow: [host] })(`${url}/0`)).name).toBe('There');
    expect(asked).toEqual(['/0', '/1', '/2', '/3', '/p.png']);
  });
});

// 1 MiB of the first one took the parser half a minute, in which the process could not respond.
describe('a page is read up to the end of its head, 1 MiB, and a bound of tags and depth', () => {
  const named = '<html><head><title>Name</title>';
  const reading = async (page: string) => {
    const { host, url } = await site(html(page));
    const read = pageReader({ allow: [host] });
    return () => read(url);
  };
  test.each([
    ['1 MiB of open elements', `${named}${'<b>'.repeat(340_000)}`],
    ['1 MiB of open elements before the title', `${'<b>'.repeat(340_000)}${named}`],
    ["1 MiB of one tag's attributes", `${named}<meta ${'a=b '.repeat(250_000)}>`],
    ['1 MiB of tags', `${named}${'<meta name=a content=b>'.repeat(45_000)}`],
    ['1 MiB of closed elements', `${named}${'<i></i>'.repeat(140_000)}`],
    ['1 MiB of comment openings', `${named}${'<!--'.repeat(250_000)}`],
  ])('%s', async (_, page) => {
    const read = await reading(page);
    const { name } = await read();
    expect(name === 'Name' || page.startsWith('<b>')).toBe(true);
    const usual = await reading(`${named}<!-- ${'words '.repeat(175_000)}-->`);
    expect(await costRatio(read, usual, 20)).toBeLessThan(20);
  });

  test('ignores text after the head or after 1 MiB', async () => {
    const late = '<meta property="og:title" content="Late">';
    const pages = [
      `${named}</head>${late}`,
      `${named}<body>${late}`,
      `${named}<!--${' '.repeat(1024 * 1024)}-->${late}`,
    ];
    for (const page of pages) {
      const { host, url } = await site(html(page));
      expect((await pageReader({ allow: [host] })(url)).name).toBe('Name');
    }
  });
});

describe('creates the draft without a banner if the image cannot be read', () => {
  const page = '<title>Page</title><meta property="og:image" content="/picture">';
  const withPicture = (answer: RequestListener) =>
    site((request, response) => (request.url === '/picture' ? answer : html(page))(request, response));

  test.each<[string, RequestListener]>([
    ['missing', (_request, response) => response.writeHead(404).end()],
    ['SVG', (_request, response) => response.setHeader('Content-Type', 'image/svg+xml').end('<svg/>')],
    ['HTML that calls itself PNG', (_request, response) => response.setHeader('Content-Type', 'image/png').end('<p>')],
    ['larger than 5 MiB', (_request, response) => response.end(Buffer.concat([png, Buffer.alloc(5 * 1024 * 1024)]))],
  ])('%s', async (_, answer) => {
    const { host, url, asked } = await withPicture(answer);
    const prefill = await pageReader({ allow: [host] })(url);
    expect(prefill).toMatchObject({ name: 'Page', image: null });
    expect(asked).toContain('/picture');
  });

  test('on an address that is private', async () => {
    const secret = await site(html('secret'));
    const { host, url } = await site(
      html(`<title>Page</title><meta property="og:image" content="${secret.url}/x.png">`),
    );
    expect(await pageReader({ allow: [host] })(url)).toMatchObject({ name: 'Page', image: null });
    expect(secret.asked).toEqual([]);
  });
});

/** The same for an address that is private and for one where no server answers: it must not tell them apart. */
const unreachable = 'Website cannot be read: it cannot be reached.';

test('has the same message for unknown names and private addresses', async () => {
  expect(await rejection(pageReader()('http://nowhere.invalid/'))).toBe(unreachable);
});

describe('does not read private addresses', () => {
  const hosts = [
    '127.0.0.1',
    '0x7f000001',
    '2130706433',
    '127.1',
    '[::ffff:127.0.0.1]',
    'localhost',
    'LOCALHOST',
    '0.0.0.0',
  ];
  test.each(hosts)('http://%s', async (host) => {
    const { port, asked } = await site(html('<title>secret</title>'));
    expect(await rejection(pageReader()(`http://${host}:${port}/`))).toBe(unreachable);
    expect(asked).toEqual([]);
  });

  test.each([
    '10.0.0.1',
    '192.168.1.1',
    '172.16.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '[fd00::1]',
    '[fe80::1]',
    '[64:ff9b::7f00:1]',
    '[::127.0.0.1]',
    '[fec0::1]',
    '[4000::1]',
  ])('http://%s, of a private or reserved range', async (host) => {
    const attempts: unknown[] = [];
    const note = (attempt: unknown) => attempts.push(attempt);
    subscribe('undici:client:beforeConnect', note);
    expect(await rejection(pageReader({ timeout: 500 })(`http://${host}/`))).toBe(unreachable);
    unsubscribe('undici:client:beforeConnect', note);
    expect(attempts).toEqual([]);
  });

  test('a redirect to it', async () => {
    const secret = await site(html('<title>secret</title>'));
    const { host, url } = await site((_request, response) =>
      response.writeHead(301, { Location: `${secret.url}/admin` }).end(),
    );
    expect(await rejection(pageReader({ allow: [host] })(url))).toBe(unreachable);
    expect(secret.asked).toEqual([]);
  });

  test('allows only the given port', async () => {
    const { port } = await site(html('x'));
    expect(await rejection(pageReader({ allow: [`127.0.0.1:${port + 1}`] })(`http://127.0.0.1:${port}`))).toBe(
      unreachable,
    );
  });
});

describe('a page that cannot be read is 422 on website', () => {
  test('too slow, in its headers or in its body', async () => {
    const mute = await site(() => undefined);
    const slow = await site((_request, response) =>
      response.writeHead(200, { 'Content-Type': 'text/html' }).write('<p>'),
    );
    for (const { host, url } of [mute, slow]) {
      const started = performance.now();
      const message = await rejection(pageReader({ allow: [host], timeout: 300 })(url));
      expect(message).toBe('Website cannot be read: it did not respond in time.');
      expect(performance.now() - started).toBeLessThan(1500);
    }
  });

  test.each([
    ['interim responses', 'HTTP/1.1 103 E\r\n\r\n'],
    ['compressed blocks that contain nothing', '\0\0\0\xff\xff'],
  ])('%s without end', async (_, part) => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n';
    const begin = part.startsWith('HTTP') ? '' : `${head}\x1f\x8b\b\0\0\0\0\0\0\x03`;
    const server = createNetServer((socket) => {
      const send = () => {
        while (socket.writable && socket.write(part.repeat(1000), 'latin1'));
      };
      socket.on('error', () => undefined).on('drain', send);
      socket.once('data', () => {
        socket.write(begin, 'latin1');
        send();
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      expect(await rejection(pageReader({ allow: [host] })(`http://${host}/`))).toContain('it sends too much');
    } finally {
      server.close();
    }
  });

  test('not HTML, or 404', async () => {
    const json = await site(html('{}', 'application/json'));
    const gone = await site((_request, response) => response.writeHead(404, { 'Content-Type': 'text/html' }).end());
    expect(await rejection(pageReader({ allow: [json.host] })(json.url))).toContain('it has another content type');
    expect(await rejection(pageReader({ allow: [gone.host] })(gone.url))).toContain('it responded with 404');
  });

  test('endless redirects', async () => {
    const { host, url, asked } = await site((_request, response) => response.writeHead(302, { Location: '/' }).end());
    expect(await rejection(pageReader({ allow: [host] })(url))).toContain('redirects more than 3 times');
    expect(asked).toHaveLength(4);
  });

  test.each([
    ['ftp://example.com/', 'not an http or https URL'],
    ['file:///etc/passwd', 'not an http or https URL'],
    ['not an address', 'not an http or https URL'],
    ['http://ada:secret@example.com/', 'contains a user name or a password'],
    ['http://127.0.0.1:1/', 'it cannot be reached'],
  ])('%s', async (address, reason) => {
    const message = await rejection(pageReader()(address));
    expect(message).toContain(reason);
    expect(message).not.toContain('secret');
  });

  test('no server', async () => {
    expect(await rejection(pageReader({ allow: ['127.0.0.1:1'] })('http://127.0.0.1:1/'))).toContain(
      'it cannot be reached',
    );
  });
});

test('a server does each step of the work on a page and its image in a turn of its user', async () => {
  const { host, url } = await site((request, response) => {
    if (request.url === '/image') return response.setHeader('Content-Type', 'image/png').end(png);
    const text = '<!-- -->'.repeat(request.url === '/long' ? 64 * 1024 : 1);
    return html(`<meta property="og:image" content="/image">${text}`)(request, response);
  });
  await using server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0, prefillAllow: [host] });
  const resume = vi.spyOn(Turns.prototype, 'resume');
  const turnsFor = async (path: string): Promise<number> => {
    resume.mockClear();
    const website = encodeURIComponent(url + path);
    const address = `/organizations/5/collabs.json?website=${website}`;
    expect((await send(server.url, 'ada_write', 'POST', address, { collab: {} })).status).toBe(201);
    return resume.mock.calls.filter(([{ userId }]) => userId === 'usr_ada').length;
  };
  // Of the first request, the user is not known when it arrives.
  await turnsFor('/short');
  const short = await turnsFor('/short');
  // Of 512 KiB, up to 16 KiB are received in a turn, and 64 KiB are parsed in one.
  expect((await turnsFor('/long')) - short).toBeGreaterThanOrEqual(31 + 7);
});

test('bytes that take long to process are processed in smaller slices, others in larger ones', async () => {
  const { host, url } = await site(html('<!-- -->'.repeat(64 * 1024)));
  const pausesFor = async (milliseconds: number): Promise<number> => {
    let now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += milliseconds));
    const pause = vi.fn(() => setImmediate<void>());
    await pageReader({ allow: [host] })(url, pause);
    clock.mockRestore();
    return pause.mock.calls.length;
  };
  // 512 KiB are 64 slices of the first size, and 8 that are parsed.
  expect(await pausesFor(0)).toBeLessThan(64);
  expect(await pausesFor(10)).toBeGreaterThan(400);
});

test('a server reads four pages of a user at once, those of others meanwhile, and lets none wait for long', async () => {
  const held: (() => void)[] = [];
  const { host, url } = await site((request, response) => {
    const respond = () => html('<title>Page</title>')(request, response);
    if (request.url === '/slow') held.push(respond);
    else respond();
  });
  await using server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0, prefillAllow: [host] });
  const create = async (who: Person, path: string) => {
    const website = encodeURIComponent(url + path);
    const reply = await send(server.url, who, 'POST', `/organizations/5/collabs.json?website=${website}`, {
      collab: {},
    });
    return reply.status;
  };
  let rejected = 0;
  const slow = Array.from({ length: 10 }, async () => {
    const status = await create('ada_write', '/slow');
    if (status === 429) rejected += 1;
    return status;
  });
  await vi.waitUntil(() => held.length === 4, { timeout: 2500 });
  expect(await create('ben_write', '/fast')).toBe(201);
  expect((await send(server.url, 'ada_write', 'GET', '/organizations/5/campaigns.json')).status).toBe(200);
  expect(rejected).toBe(0);
  await vi.waitUntil(() => rejected === 6, { timeout: 4500 });
  expect(held).toHaveLength(4);
  for (const respond of held) respond();
  expect((await Promise.all(slow)).sort()).toEqual([...Array(4).fill(201), ...Array(6).fill(429)]);
});
