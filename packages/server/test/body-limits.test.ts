import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { costRatio } from './support/cpu-time.js';
import { isLong } from './support/long.js';
import { png } from './support/pictures.js';
import { demoSite, type Site, type Visitor } from './support/visitor.js';

// What a body may hold before it is parsed (D90). What the limits are for: attacks.test.ts.

let site: Site;
let ada: Visitor;
beforeAll(async () => {
  site = await demoSite();
  ada = await site.signedIn('ada_write');
});

const campaigns = '/organizations/5/campaigns.json';
const create = async (path: string, type: string, body: BodyInit) => {
  const response = await site.json('ada_write', path, { method: 'POST', body, headers: { 'content-type': type } });
  return { status: response.status, body: await response.json() };
};
const createJson = (body: string) => create(campaigns, 'application/json', body);

describe('JSON', () => {
  const nested = (levels: number) =>
    `{"campaign":{"name":"x","more":${'['.repeat(levels - 2)}${']'.repeat(levels - 2)}}}`;
  const keyed = (keys: number) =>
    JSON.stringify({
      campaign: { name: 'x', ...Object.fromEntries([...Array(keys - 2).keys()].map((key) => [key, 0])) },
    });

  test('may have 32 levels', async () => {
    expect((await createJson(nested(32))).status).toBe(201);
    expect(await createJson(nested(33))).toEqual({
      status: 400,
      body: { error: 'The body has more than 32 levels. Send fewer.' },
    });
    expect((await createJson(nested(500_000))).status).toBe(400);
  });

  test('may have 1000 keys', async () => {
    expect((await createJson(keyed(1000))).status).toBe(201);
    expect(await createJson(keyed(1001))).toEqual({
      status: 413,
      body: { error: 'The body has more than 1000 fields. Send fewer.' },
    });
  });

  test('brackets, colons and quotes inside a text count as text', async () => {
    const name = `${'[{'.repeat(40)}\\":" \\`;
    expect(await createJson(JSON.stringify({ campaign: { name, more: ':'.repeat(5000) } }))).toMatchObject({
      status: 201,
      body: { name },
    });
  });

  test.each([
    ['345,000 platforms', 'platform_ids', Array(345_000).fill(''), 'Platform ids must be a list of at most 50 values.'],
    ['120,000 countries', 'countries', Array(120_000).fill('usa'), 'Countries must be a list of at most 250 values.'],
    ['51 platforms', 'platform_ids', Array(51).fill(7), 'Platform ids must be a list of at most 50 values.'],
    ['a name of 1 MB', 'name', 'x'.repeat(1_000_000), 'Name must be at most 255 characters long.'],
    ['a name of 256 characters', 'name', '\u{1f338}'.repeat(256), 'Name must be at most 255 characters long.'],
    ['NUL in a name that is too long', 'name', '\0'.repeat(256), 'Name must be at most 255 characters long.'],
  ])('%s: 422 with one message, whatever else is wrong', async (_, field, value, message) => {
    const answer = await createJson(JSON.stringify({ campaign: { name: 'x', [field]: value } }));
    expect(answer).toEqual({ status: 422, body: { errors: { [field]: [message] } } });
  });
});

test('of a body in small chunks few chunks stay in memory, because each takes hundreds of bytes', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const chunks: WeakRef<ArrayBuffer>[] = [];
  let end: () => void = () => undefined;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (chunks.length === 5000) {
        await new Promise<void>((resolve) => {
          end = resolve;
        });
        controller.close();
        return;
      }
      const chunk = new Uint8Array([0x20]);
      chunks.push(new WeakRef(chunk.buffer));
      controller.enqueue(chunk);
    },
  });
  const headers = { 'content-type': 'application/json' };
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' };
  const sent = site.json('ada_write', campaigns, init);
  await vi.waitUntil(() => chunks.length === 5000);
  await delay(50);
  collectGarbage();
  expect(chunks.filter((chunk) => chunk.deref()).length).toBeLessThan(100);
  end();
  const response = await sent;
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('not valid JSON')]);
});

describe('multipart', () => {
  const part = (name: string, text: string, boundary: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
  const send = (boundary: string, body: string, type = `multipart/form-data; boundary=${boundary}`) =>
    create('/organizations.json', type, body);

  test.each(['x', '-', '--', 'ab', "'", 'a b', 'x'.repeat(70)])(
    'a boundary %j of 1 to 70 characters divides the parts, and its text inside a part does not (RFC 2046)',
    async (boundary) => {
      const name = `next ${boundary} box --${boundary} \r\n ${boundary}`;
      const body = `${part('organization[name]', name, boundary)}${part('other', 'x', boundary)}--${boundary}--\r\n`;
      const quoted = `multipart/form-data; charset=utf-8; boundary="${boundary}"`;
      expect(await send(boundary, body, quoted)).toMatchObject({ status: 201, body: { name } });
    },
  );

  test('ignores text before the first part and after the last one', async () => {
    const body = `preamble\r\n${part('organization[name]', 'x', 'bound')}--bound--\r\nepilogue\r\n--bound\r\n`;
    expect(await send('bound', body)).toMatchObject({ status: 201, body: { name: 'x' } });
  });

  test('a file that holds the boundary as text arrives as it is', async () => {
    const logo = Buffer.concat([png, Buffer.from('--x x\r\n-x\r\n--xx')]);
    const body = Buffer.concat([
      Buffer.from(part('organization[name]', 'Logo', 'x')),
      Buffer.from('--x\r\nContent-Disposition: form-data; name="organization[logo]"; filename="l.png"\r\n\r\n'),
      logo,
      Buffer.from('\r\n--x--\r\n'),
    ]);
    const { status, body: made } = await create('/organizations.json', 'multipart/form-data; boundary=x', body);
    expect(status).toBe(201);
    const stored = await site.app.fetch(new Request(made.logo_url));
    expect(Buffer.compare(Buffer.from(await stored.arrayBuffer()), logo)).toBe(0);
  });

  test.each([
    ['of .NET', "name=organization[logo]; filename=lögö.png; filename*=utf-8''l%C3%B6g%C3%B6.png"],
    ['with an extended name only', 'name="organization[logo]"; filename*=UTF-8\'\'a.png'],
    ['with quotes and semicolons in quotes', 'name="organization[logo]"; filename="a; filename=\\"b=c.png"'],
    ['without quotes', 'filename=a.png; name=organization[logo]'],
    ['with a long name', `name="organization[logo]"; filename="${'x'.repeat(1000)}.png"`],
  ])('reads the names of a part %s', async (_, parameters) => {
    const body = Buffer.concat([
      Buffer.from(
        '--x\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=organization[name]\r\n\r\nDöt; a="b"\r\n',
      ),
      Buffer.from(`--x\r\nContent-Disposition: form-data; ${parameters}\r\nContent-Type: image/png\r\n\r\n`),
      png,
      Buffer.from('\r\n--x--\r\n'),
    ]);
    const answer = await create('/organizations.json', 'multipart/form-data; boundary=x', body);
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ name: 'Döt; a="b"', logo_url: expect.any(String) });
  });

  test.each([
    ['no boundary', 'multipart/form-data', part('organization[name]', 'x', 'b')],
    ['a boundary of 71 characters', `multipart/form-data; boundary=${'x'.repeat(71)}`, part('a', 'x', 'x'.repeat(71))],
    ['no end', 'multipart/form-data; boundary=b', part('organization[name]', 'x', 'b')],
    ['no parts', 'multipart/form-data; boundary=b', 'hello'],
    ['no headers in a part', 'multipart/form-data; boundary=b', '--b\r\n--b\r\n--b--\r\n'],
  ])('%s: 400', async (_, type, body) => {
    const answer = await send('b', body, type);
    expect(answer).toEqual({ status: 400, body: { error: expect.stringMatching(/^The form cannot be read\./) } });
  });

  test('may have 1000 parts', async () => {
    const parts = (count: number) =>
      `${part('organization[name]', 'x', 'b')}${part('o', '', 'b').repeat(count - 1)}--b--\r\n`;
    expect((await send('b', parts(1000))).status).toBe(201);
    expect(await send('b', parts(1001))).toEqual({
      status: 413,
      body: { error: 'The body has more than 1000 fields. Send fewer.' },
    });
  });

  test('may have 256 KiB of text in addition to its file', async () => {
    const body = `${part('organization[name]', 'x'.repeat(256 * 1024 + 1), 'b')}--b--\r\n`;
    expect(await send('b', body)).toEqual({
      status: 413,
      body: { error: 'The text of the form is larger than 256 KiB. Send less.' },
    });
  });
});

test('any file of 10 MB costs at most three times the CPU time of plain bytes', async () => {
  const long = 'b'.repeat(70);
  const upload = (boundary: string, filling: string, place: 'file' | 'before') => {
    const filled = Buffer.from(filling.repeat(10_400_000 / filling.length));
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="organization[logo]"; filename="l.png"\r\n\r\n`;
    const parts = place === 'file' ? [Buffer.from(head), filled] : [filled, Buffer.from(`\r\n${head}`)];
    const body = new Uint8Array(Buffer.concat([...parts, Buffer.from(`\r\n--${boundary}--\r\n`)]));
    const type = `multipart/form-data; boundary=${boundary}`;
    return () => create('/organizations.json', type, body);
  };
  const bytes = upload(long, 'x', 'file');
  const most: readonly [string, string][] = [
    [long, `\r\n--${long}x`],
    [long, `\r\n--${long}${' '.repeat(2000)}x`],
    ['-'.repeat(70), '-'],
    [long, '\r'],
    [long, '\r\n--'],
  ];
  const fillings: readonly [string, string][] = [
    ['X', '\r\n--Y'],
    [long, `\r\n--${long.slice(1)}`],
    [long, '\r\n'],
    ...(isLong ? most : []),
  ];
  for (const [boundary, filling] of fillings)
    for (const place of ['file', 'before'] as const) {
      const request = upload(boundary, filling, place);
      const ratio = await costRatio(request, bytes, 3);
      expect(ratio, JSON.stringify([boundary.slice(0, 3), filling.slice(0, 8), place])).toBeLessThan(3);
    }
});

/** A body that says whether anybody has begun to read it. */
function watched(text: string) {
  const state = { isRead: false };
  const body = new ReadableStream(
    {
      pull(controller) {
        state.isRead = true;
        controller.enqueue(new TextEncoder().encode(text));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { state, init: { method: 'POST', body, duplex: 'half' } as RequestInit };
}
const formType = { 'content-type': 'application/x-www-form-urlencoded' };

describe('the form of a page', () => {
  test.each([
    ['a write', '/organizations/5/campaigns', undefined],
    ['a write with an old session', '/organizations/5/campaigns', 'session'],
    ['a method that the form names', '/organizations/5/campaigns/3', undefined],
    ['a method that the form names, with an old session', '/organizations/5/campaigns/3', 'session'],
  ])('is not read before it is known who sends it: %s', async (_, path, cookie) => {
    const { state, init } = watched('_method=patch');
    const visitor = site.visitor();
    if (cookie) visitor.cookies.set(`mkt_${cookie}_4010`, `1.9999999999.${'x'.repeat(43)}`);
    const page = await visitor.fetch(path, { ...init, headers: formType });
    expect([page.status, page.location, state.isRead]).toEqual([303, '/sign_in', false]);
  });

  test('is not read of an unknown token, nor at /sign_in without the cookie of its page', async () => {
    const unknown = watched('_method=patch');
    const headers = { ...formType, authorization: 'Bearer nope' };
    const rejected = await site.visitor().fetch('/organizations/5/campaigns/3', { ...unknown.init, headers });
    expect([rejected.status, unknown.state.isRead]).toEqual([401, false]);
    const early = watched('token=x');
    const page = await site.visitor().fetch('/sign_in', { ...early.init, headers: formType });
    expect([page.status, early.state.isRead]).toEqual([403, false]);
  });

  test.each([
    ['/sign_in', 64, 256],
    ['/sign_out', 16, 16],
  ])('at %s has at most %i fields and %i KiB', async (path, fields, size) => {
    const visitor = path === '/sign_out' ? await site.signedIn('ben_write') : site.visitor();
    const csrf = (await visitor.get(path === '/sign_out' ? '/organizations' : '/sign_in')).form(path).csrf_token ?? '';
    const post = async (more: string) =>
      (await visitor.fetch(path, { method: 'POST', headers: formType, body: `csrf_token=${csrf}${more}` })).status;
    expect(await post('&a=1'.repeat(fields))).toBe(413);
    expect(await post(`&token=${'x'.repeat(size * 1024)}`)).toBe(413);
    expect([303, 422]).toContain(await post('&a=1'.repeat(fields - 1)));
  });

  test('of a signed-in user has at most 1000 fields', async () => {
    const { csrf_token: csrf = '' } = (await ada.get('/organizations/5/campaigns/new')).form(
      '/organizations/5/campaigns',
    );
    const post = async (fields: number) => {
      const body = `csrf_token=${csrf}&campaign[name]=x${'&a=%ff'.repeat(fields - 2)}`;
      return (await ada.fetch('/organizations/5/campaigns', { method: 'POST', headers: formType, body })).status;
    };
    expect(await post(1000)).toBe(400);
    expect(await post(1001)).toBe(413);
  });
});
