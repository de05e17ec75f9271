import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError, type FileInput, type UploadProgress } from '@mkt/sdk';
import { fileFromPath } from '@mkt/sdk/node';
import { describe, expect, it } from 'vitest';
import { client, failure } from './support/client.js';
import { sampleOrganization } from './support/samples.js';
import { empty, json, type Seen, scripted } from './support/scripted-server.js';

const bytes = Uint8Array.from({ length: 300 }, (_, index) => index % 256);
const created = json(sampleOrganization(), { status: 201 });

/** A multipart body as any server reads it: by the boundary of its own content type. */
const formOf = ({ headers, body }: Seen): Promise<FormData> =>
  new Response(new Uint8Array(body), { headers: { 'content-type': headers['content-type'] ?? '' } }).formData();

async function* chunks(): AsyncGenerator<Uint8Array> {
  yield bytes.subarray(0, 100);
  yield bytes.subarray(100);
}

describe('a logo', () => {
  const inputs: [string, () => FileInput, string, string][] = [
    ['a File', () => new File([bytes], 'acme.png', { type: 'image/png' }), 'acme.png', 'image/png'],
    ['a Blob', () => new Blob([bytes], { type: 'image/png' }), 'file', 'image/png'],
    ['bytes', () => bytes, 'file', 'application/octet-stream'],
    ['an ArrayBuffer', () => bytes.slice().buffer, 'file', 'application/octet-stream'],
    ['a part of a buffer', () => new Uint8Array([0, ...bytes, 0]).subarray(1, 301), 'file', 'application/octet-stream'],
    ['a ReadableStream', () => new Blob([bytes]).stream(), 'file', 'application/octet-stream'],
    ['an async iterable', chunks, 'file', 'application/octet-stream'],
    ['{ data, name, type }', () => ({ data: bytes, name: 'a.gif', type: 'image/gif' }), 'a.gif', 'image/gif'],
    ['{ data } of a File', () => ({ data: new File([bytes], 'b.png') }), 'b.png', 'application/octet-stream'],
    [
      '{ data, name } of a stream',
      () => ({ data: chunks(), name: 'c.webp', type: 'image/webp' }),
      'c.webp',
      'image/webp',
    ],
  ];

  it.each(inputs)('may be %s', async (_, input, name, type) => {
    await using server = await scripted(created);
    await client(server.url).organizations.create({ name: 'Acme', privacy_setting: 'private', logo: input() });
    const [request] = server.seen as [Seen];
    expect(request.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    const form = await formOf(request);
    expect(form.get('organization[name]')).toBe('Acme');
    expect(form.get('organization[privacy_setting]')).toBe('private');
    const file = form.get('organization[logo]') as File;
    expect(file.name).toBe(name);
    expect(file.type).toBe(type);
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(bytes);
  });

  it('may be a path on Node', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mkt-logo-'));
    try {
      const path = join(folder, 'acme.png');
      await writeFile(path, bytes);
      await using server = await scripted(created);
      await client(server.url).organizations.update(5, { logo: await fileFromPath(path) });
      const [request] = server.seen as [Seen];
      expect(request).toMatchObject({ method: 'PATCH', url: '/organizations/5.json' });
      const file = (await formOf(request)).get('organization[logo]') as File;
      expect([file.name, file.type, file.size]).toEqual(['acme.png', 'image/png', 300]);
      await expect(fileFromPath(join(folder, 'none.png'))).rejects.toThrow(/none\.png|ENOENT/);
      const endings = { jpg: 'image/jpeg', JPEG: 'image/jpeg', webp: 'image/webp', gif: 'image/gif' };
      for (const [ending, type] of Object.entries({ ...endings, txt: 'application/octet-stream' })) {
        await writeFile(join(folder, `acme.${ending}`), bytes);
        expect(await fileFromPath(join(folder, `acme.${ending}`))).toMatchObject({ name: `acme.${ending}`, type });
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it.each(['logo.png', 7, {}, null, true])('may not be %j', async (logo) => {
    await using server = await scripted(created);
    const call = client(server.url).organizations.create({ name: 'Acme', logo: logo as never });
    expect((await failure(call, ConfigurationError)).message).toContain('fileFromPath');
    expect(server.seen).toHaveLength(0);
  });

  it('keeps its boundary even if headers set a content type', async () => {
    await using server = await scripted(created);
    const mkt = client(server.url, { headers: { 'Content-Type': 'application/json' } });
    await mkt.organizations.create(
      { name: 'Acme', logo: bytes },
      { headers: { 'content-type': 'multipart/form-data' } },
    );
    expect((await formOf(server.seen[0] as Seen)).get('organization[name]')).toBe('Acme');
  });

  it("reaches a fetch that is not the platform's as bytes: one of npm's undici would send a form's name", async () => {
    await using server = await scripted(created);
    const fetch = (input: string | Request, init: RequestInit) => {
      expect(init.body).toBeInstanceOf(ArrayBuffer);
      return globalThis.fetch(input, init);
    };
    await client(server.url, { fetch }).organizations.create({ name: 'Acme', logo: bytes });
    expect((await formOf(server.seen[0] as Seen)).get('organization[name]')).toBe('Acme');
  });

  it('is sent whole again on a retry, also one that came as a stream', async () => {
    await using server = await scripted(empty(503), json(sampleOrganization()));
    await client(server.url).organizations.update(5, { logo: new Blob([bytes]).stream() });
    expect(server.seen).toHaveLength(2);
    for (const request of server.seen)
      expect(((await formOf(request)).get('organization[logo]') as File).size).toBe(300);
  });

  it('that is left out sends JSON, purge_logo included', async () => {
    await using server = await scripted(json(sampleOrganization()));
    await client(server.url).organizations.update(5, { purge_logo: '1', logo: undefined });
    expect(String(server.seen[0]?.body)).toBe('{"organization":{"purge_logo":"1"}}');
  });

  it('sends null as an empty string and leaves out undefined', async () => {
    await using server = await scripted(created);
    await client(server.url).organizations.update(5, {
      website: null,
      privacy_setting: undefined as never,
      logo: bytes,
    });
    const form = await formOf(server.seen[0] as Seen);
    expect([...form.keys()]).toEqual(['organization[website]', 'organization[logo]']);
    expect(form.get('organization[website]')).toBe('');
  });
});

it('upload progress is reported while the body is sent', async () => {
  await using server = await scripted(created);
  const told: UploadProgress[] = [];
  const logo = new Uint8Array(500_000);
  await client(server.url).organizations.create({ name: 'Acme', logo }, { onUploadProgress: (now) => told.push(now) });
  expect(told.length).toBeGreaterThan(2);
  const last = told.at(-1);
  expect(last?.sentBytes).toBe(last?.totalBytes);
  expect(last?.sentBytes).toBeGreaterThanOrEqual(500_000);
  for (const [index, { sentBytes }] of told.entries())
    expect(sentBytes).toBeGreaterThanOrEqual(told[index - 1]?.sentBytes ?? 0);
  expect(((await formOf(server.seen[0] as Seen)).get('organization[logo]') as File).size).toBe(500_000);
});

it('upload progress of a call without a file leaves its body JSON', async () => {
  await using server = await scripted(created);
  const told: UploadProgress[] = [];
  await client(server.url).organizations.update(5, { name: 'Acme' }, { onUploadProgress: (now) => told.push(now) });
  expect(server.seen[0]?.headers['content-type']).toBe('application/json');
  expect(JSON.parse(String(server.seen[0]?.body))).toEqual({ organization: { name: 'Acme' } });
  expect(told.length).toBeGreaterThan(0);
});

it('an upload progress callback that throws is logged, and the upload continues', async () => {
  await using server = await scripted(created);
  const warnings: string[] = [];
  const mkt = client(server.url, { logger: { debug: () => undefined, warn: (message) => warnings.push(message) } });
  const onUploadProgress = () => {
    throw new Error('no such bar');
  };
  await mkt.organizations.create({ name: 'Acme', logo: new Uint8Array(8) }, { onUploadProgress });
  expect(warnings[0]).toBe('onUploadProgress threw: no such bar');
});
