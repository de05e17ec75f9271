import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Server as NetServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import type { Server } from '@mkt/server/node';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from './support/run-cli.js';
import { startService, tokens } from './support/service.js';
import { mkt } from './support/spawn-cli.js';

vi.setConfig({ testTimeout: 30_000 });

/** No name server knows it: a request that reaches it went through the proxy. */
const HOST = 'brands.mkt.test';
const portOf = (server: NetServer): number => (server.address() as AddressInfo).port;
const listening = <S extends NetServer>(server: S): Promise<S> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
const joined = (one: Socket, other: Socket): void => {
  for (const socket of [one, other]) socket.on('error', () => undefined);
  one.pipe(other).pipe(one);
};

/** A company's proxy: it takes CONNECT to any host, and leads all of them to one port of this machine. */
async function companyProxy(port: () => number, credentials?: string) {
  const asked: string[] = [];
  const proxy = createHttpServer((_request, response) => response.writeHead(405).end());
  proxy.on('connect', (request: IncomingMessage, client: Socket) => {
    asked.push(request.url ?? '');
    const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
    if (expected && request.headers['proxy-authorization'] !== expected) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic\r\n\r\n');
      return;
    }
    const upstream = connect(port(), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      joined(client, upstream);
    });
  });
  await listening(proxy);
  onTestFinished(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return { asked, host: `127.0.0.1:${portOf(proxy)}` };
}

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describe.skipIf(!hasOpenssl)('behind a company proxy, with a certificate of its own', () => {
  let service: Server;
  let secured: NetServer;
  let folder: string;
  let ca: string;
  const base = { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: `https://${HOST}`, MKT_ORG: '5' };

  beforeAll(async () => {
    service = await startService({ allowHosts: [HOST] });
    folder = mkdtempSync(join(tmpdir(), 'mkt-proxy-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'ca.pem')];
    const subject = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    execFileSync('openssl', ['req', '-x509', ...kind, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    ca = cert;
    const plain = Number(new URL(service.url).port);
    secured = await listening(
      createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (socket) =>
        joined(socket, connect(plain, '127.0.0.1')),
      ),
    );
  });
  afterAll(async () => {
    secured.close();
    await service.close();
    rmSync(folder, { recursive: true });
  });

  it('sends requests and files through HTTPS_PROXY', async () => {
    const proxy = await companyProxy(() => portOf(secured));
    const env = { ...base, HTTPS_PROXY: `http://${proxy.host}`, NODE_EXTRA_CA_CERTS: ca };
    const listed = await mkt(['campaigns', 'list', '--fields', 'id', '--no-header'], env);
    expect(listed).toMatchObject({ code: 0 });
    expect(listed.stdout.trim().split('\n')).toHaveLength(20);

    const logo = join(temporaryFolder(), 'logo.png');
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    writeFileSync(logo, Buffer.from(png, 'base64'));
    expect(await mkt(['organizations', 'update', '5', '--logo', logo], env)).toMatchObject({ code: 0 });
    expect(new Set(proxy.asked)).toEqual(new Set([`${HOST}:443`]));
  });

  it('bypasses the proxy for hosts in NO_PROXY', async () => {
    const proxy = await companyProxy(() => portOf(secured));
    const env = { ...base, HTTPS_PROXY: `http://${proxy.host}`, NO_PROXY: HOST, NODE_EXTRA_CA_CERTS: ca };
    expect(await mkt(['campaigns', 'list', '--timeout', '5s'], env)).toMatchObject({ code: 8 });
    expect(proxy.asked).toEqual([]);
  });

  it('never uses the proxy for this machine', async () => {
    const proxy = await companyProxy(() => portOf(secured));
    const env = {
      ...base,
      MKT_BASE_URL: service.url,
      HTTPS_PROXY: `http://${proxy.host}`,
      HTTP_PROXY: `http://${proxy.host}`,
    };
    expect(await mkt(['campaigns', 'list'], env)).toMatchObject({ code: 0 });
    expect(proxy.asked).toEqual([]);
  });

  it('says how to trust the certificate', async () => {
    const proxy = await companyProxy(() => portOf(secured));
    const { code, stderr } = await mkt(['campaigns', 'list'], { ...base, HTTPS_PROXY: `http://${proxy.host}` });
    expect(code).toBe(8);
    expect(stderr).toContain(`The certificate of https://${HOST} is not trusted`);
    expect(stderr).toContain('NODE_EXTRA_CA_CERTS=');
  });

  it('sends name and password to the proxy, and does not show them', async () => {
    const proxy = await companyProxy(() => portOf(secured), 'ada:hush');
    const through = (user: string) => ({
      ...base,
      HTTPS_PROXY: `http://${user}@${proxy.host}`,
      NODE_EXTRA_CA_CERTS: ca,
    });
    expect(await mkt(['campaigns', 'list'], through('ada:hush'))).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await mkt(['campaigns', 'list', '--debug'], through('ada:wrong-hush'));
    expect(code).toBe(8);
    expect(stderr).toContain(
      `The proxy http://***@${proxy.host} (from HTTPS_PROXY) does not accept the name and password in HTTPS_PROXY (407).`,
    );
    expect(stdout + stderr).not.toContain('hush');
    const none = await mkt(['campaigns', 'list'], { ...base, HTTPS_PROXY: `http://${proxy.host}` });
    expect(none).toMatchObject({ code: 8, stderr: expect.stringContaining('requires a name and a password (407).') });
    expect(none.stderr).toContain(`export HTTPS_PROXY=http://NAME:PASSWORD@${proxy.host}`);
    expect(none.stderr).not.toContain('Try again later');
  });

  it.each([
    ['HTTPS_PROXY', 'http://127.0.0.1:1', 'ECONNREFUSED'],
    ['https_proxy', 'http://no-such-proxy.invalid:8080', 'ENOTFOUND|EAI_AGAIN'],
  ])('names a proxy that does not respond, not the service: %s=%s', async (variable, address, reason) => {
    const { code, stderr } = await mkt(['campaigns', 'list'], { ...base, [variable]: address });
    expect(code).toBe(8);
    expect(stderr).toContain(`The proxy ${address} (from ${variable}) does not respond (`);
    expect(stderr).toMatch(new RegExp(`\\((${reason})\\)`));
    expect(stderr).toContain(`export NO_PROXY=${HOST}`);
    expect(stderr).not.toContain('Nothing is listening');
  });

  it('names a certificate that is for another host', async () => {
    const proxy = await companyProxy(() => portOf(secured));
    const { code, stderr } = await mkt(['campaigns', 'list'], {
      ...{ ...base, MKT_BASE_URL: `https://other.${HOST}` },
      ...{ HTTPS_PROXY: `http://${proxy.host}`, NODE_EXTRA_CA_CERTS: ca },
    });
    expect(code).toBe(8);
    expect(stderr).toContain(`The certificate of https://other.${HOST} is for another host name`);
    expect(stderr).not.toContain('NODE_EXTRA_CA_CERTS');
  });

  it('rejects a proxy that is not a URL', async () => {
    const nonsense = await mkt(['campaigns', 'list'], { ...base, HTTPS_PROXY: 'ada:hush@proxy:nonsense' });
    expect(nonsense.code).toBe(2);
    expect(nonsense.stderr).toContain('HTTPS_PROXY is not a valid proxy URL.');
    expect(nonsense.stderr).not.toContain('hush');
  });
});
