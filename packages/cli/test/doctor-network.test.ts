import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer as createPlainServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { chooseFetch, routeTo } from '../src/api/http/proxy.js';
import { runCli, temporaryFolder } from './support/run-cli.js';
import { startService, tokens } from './support/service.js';
import { signedInFolder } from './support/signed-in.js';
import { bundle, start } from './support/spawn-cli.js';

vi.setConfig({ testTimeout: 40_000 });

const SECRET = 'proxy-password-1';

interface Row {
  readonly check: string;
  readonly status: string;
  readonly detail: string;
  readonly try: readonly string[];
}

const rowsOf = (stdout: string) => {
  const rows = new Map((JSON.parse(stdout) as Row[]).map((row) => [row.check, row]));
  return (name: string) => rows.get(name) ?? expect.unreachable(`There is no check "${name}".`);
};

async function examined(env: Readonly<Record<string, string>>) {
  const { code, stdout, stderr } = await runCli(['doctor', '--json'], { env, now: () => new Date() });
  expect(stdout + stderr).not.toContain(SECRET);
  return { code, of: rowsOf(stdout) };
}

/** A proxy that refuses everything and counts. */
async function refusingProxy(): Promise<{ url: string; asked: () => number }> {
  let asked = 0;
  const server = createPlainServer((_request, response) => {
    asked += 1;
    response.writeHead(502).end();
  });
  server.on('connect', (_request, socket: Socket) => {
    asked += 1;
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked };
}

describe('the proxy', () => {
  const token = { MKT_TOKEN: 'some_secret_token' };

  it('fails if it does not respond, without its password, and later steps are skipped', async () => {
    const { code, of } = await examined({
      ...token,
      MKT_BASE_URL: 'https://api.example.invalid',
      https_proxy: `http://ada:${SECRET}@127.0.0.1:1`,
    });
    expect(code).toBe(8);
    expect(of('proxy').detail).toBe(
      'The proxy http://***@127.0.0.1:1 (from https_proxy) does not respond (ECONNREFUSED).',
    );
    for (const name of ['network', 'response', 'clock']) expect(of(name).status).toBe('skipped');
  });

  it('fails if it is not a URL, which is not repeated', async () => {
    for (const address of [`ada:${SECRET}@proxy:8080`, `not an address ${SECRET}`]) {
      const { code, of } = await examined({
        ...token,
        MKT_BASE_URL: 'https://api.example.invalid',
        HTTPS_PROXY: address,
      });
      expect({ code, proxy: of('proxy').detail }).toEqual({
        code: 2,
        proxy: 'HTTPS_PROXY is not a valid proxy URL.',
      });
    }
  });

  it('is named if it responds, and requests go through it', async () => {
    const proxy = await refusingProxy();
    const { code, of } = await examined({
      ...token,
      MKT_BASE_URL: 'https://api.example.invalid',
      HTTP_PROXY: proxy.url.replace('//', `//ada:${SECRET}@`),
    });
    expect(code).toBe(8);
    expect(of('proxy').detail).toMatch(/^http:\/\/\*\*\*@127\.0\.0\.1:\d+ \(from HTTP_PROXY\), reached in \d+ ms$/);
    expect(of('network').detail).toBe('done by the proxy');
    expect(of('response').status).toBe('fail');
    expect(proxy.asked()).toBeGreaterThan(0);
  });

  it.each([
    [{ HTTPS_PROXY: 'http://p:1' }, 'HTTPS_PROXY is set, but not used for this machine', 'http://127.0.0.1:1'],
    [
      { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'localhost' },
      'HTTPS_PROXY is set, but not used for this machine',
      'http://localhost:1',
    ],
    [
      { https_proxy: 'http://p:1', no_proxy: '.invalid' },
      'https_proxy is set, but no_proxy excludes no-such-host.invalid',
      'https://no-such-host.invalid',
    ],
    [{}, 'none is set', 'http://127.0.0.1:1'],
  ])('%j: %s', async (env, said, url) => {
    const { of } = await examined({ ...token, ...env, MKT_BASE_URL: url });
    expect(of('proxy')).toMatchObject({ status: 'ok', detail: said });
    expect(of('network').status).not.toBe('skipped');
  });

  // Its own words are checked against what really happens: undici decides, and keeps its rules to itself.
  it.each([
    [{ HTTPS_PROXY: 'PROXY' }, 'https'],
    [{ HTTPS_PROXY: 'PROXY' }, 'http'],
    [{ HTTP_PROXY: 'PROXY' }, 'https'],
    [{ http_proxy: 'PROXY' }, 'http'],
    [{ HTTP_PROXY: 'PROXY', NO_PROXY: '*' }, 'http'],
    [{ HTTP_PROXY: 'PROXY', NO_PROXY: 'other.invalid, .example.invalid' }, 'http'],
    [{ HTTP_PROXY: 'PROXY', NO_PROXY: '*.example.invalid' }, 'https'],
    [{ HTTP_PROXY: 'PROXY', NO_PROXY: 'API.EXAMPLE.INVALID' }, 'https'],
    [{ HTTP_PROXY: 'PROXY', NO_PROXY: 'ample.invalid' }, 'https'],
    [{ HTTP_PROXY: 'PROXY', NO_PROXY: 'api.example.invalid:443' }, 'https'],
    [{ HTTP_PROXY: 'PROXY', NO_PROXY: 'api.example.invalid:8443' }, 'https'],
    [{ HTTP_PROXY: 'PROXY', no_proxy: 'api.example.invalid:80' }, 'http'],
  ])('%j routes %s requests as reported', async (given, protocol) => {
    const proxy = await refusingProxy();
    const env: Record<string, string> = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, value === 'PROXY' ? proxy.url : value]),
    );
    const url = `${protocol}://api.example.invalid`;
    const send = await chooseFetch(env, url);
    const init = { method: 'GET', headers: {}, redirect: 'manual' as const, signal: AbortSignal.timeout(20_000) };
    await send(url, init).catch(() => undefined);
    expect(proxy.asked() > 0).toBe(routeTo(url, env).by === 'proxy');
  });
});

/** A file with this text. */
function written(text: string): string {
  const path = join(temporaryFolder(), 'ca.pem');
  writeFileSync(path, text);
  return path;
}

describe('certificates', () => {
  it.each([
    ['fail if the file does not exist', () => '/nowhere/ca.pem', 2, 'fail'],
    ['fail if the file holds none', () => join(import.meta.dirname, 'doctor-network.test.ts'), 2, 'fail'],
    ['fail if they are damaged', () => written(rootCertificates[0]?.slice(0, 200) ?? ''), 2, 'fail'],
    ['are ok if they can be read', () => written(rootCertificates.slice(0, 2).join('\n')), 0, 'ok'],
  ])('%s', async (_name, path, code, status) => {
    await using service = await startService({ clock: Date.now });
    const found = await examined({
      MKT_TOKEN: tokens.ada_write,
      MKT_BASE_URL: service.url,
      NODE_EXTRA_CA_CERTS: path(),
    });
    expect({ code: found.code, status: found.of('certificates').status }).toEqual({ code, status });
    expect(found.of('sign in').status).toBe('ok');
  });
  it('give a warning if they are not checked', async () => {
    const { of } = await examined({ MKT_BASE_URL: 'http://127.0.0.1:1', NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    expect(of('certificates').status).toBe('warn');
  });
});

const CERTIFICATES = `[ca]
default_ca = own
[own]
new_certs_dir = .
database = index
serial = serial
policy = names
default_md = sha256
x509_extensions = hosts
[names]
commonName = supplied
[hosts]
subjectAltName = IP:127.0.0.1
`;

/** A certificate of 127.0.0.1, signed by itself, that ends in some days or has ended some days ago. */
function certificate(days: number): { path: string; key: Buffer; cert: Buffer } {
  const cwd = temporaryFolder();
  const files = { config: CERTIFICATES, index: '', serial: '01' };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const openssl = (...argv: string[]) => execFileSync('openssl', argv, { cwd, stdio: 'ignore' });
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=127.0.0.1'];
  openssl('req', '-new', ...kind, '-keyout', 'key.pem', '-out', 'request.pem');
  const day = (after: number) =>
    `${new Date(Date.now() + after * 86_400_000).toJSON().replace(/\D/g, '').slice(0, 14)}Z`;
  const dates = ['-startdate', day(-60), '-enddate', day(days)];
  const own = ['-selfsign', '-batch', '-notext', '-config', 'config', '-keyfile', 'key.pem'];
  openssl('ca', ...own, ...dates, '-in', 'request.pem', '-out', 'certificate.pem');
  const path = join(cwd, 'certificate.pem');
  return { path, key: readFileSync(join(cwd, 'key.pem')), cert: readFileSync(path) };
}

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
if (!hasOpenssl) console.warn('openssl is not installed here, so certificates were not tested.');

describe.skipIf(!hasOpenssl)('TLS', () => {
  async function secureService(days: number): Promise<{ url: string; path: string }> {
    const { path, key, cert } = certificate(days);
    const server = createSecureServer({ key, cert }, (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'total-count': '0', 'total-pages': '1' }).end('[]');
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, path };
  }
  const run = async (env: Readonly<Record<string, string>>) => {
    const { ended } = start([process.execPath, bundle, 'doctor', '--json'], { MKT_TOKEN: tokens.ada_write, ...env });
    const { code, stdout } = await ended;
    return { code, of: rowsOf(stdout) };
  };

  it('fails for an untrusted certificate, with suggestions', async () => {
    const { url } = await secureService(30);
    const { code, of } = await run({ MKT_BASE_URL: url });
    expect(code).toBe(8);
    expect(of('network').detail).toBe(`The certificate of ${url} is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT).`);
    expect(of('network').try.at(-1)).toMatch(/ It says \d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
    expect(of('response').status).toBe('skipped');
  });
  it('fails for a certificate that has expired, with the clock of this machine', async () => {
    const { url, path } = await secureService(-1);
    const { code, of } = await run({ MKT_BASE_URL: url, NODE_EXTRA_CA_CERTS: path });
    expect(code).toBe(8);
    expect(of('network').detail).toBe(`The certificate of ${url} is not valid at this time (CERT_HAS_EXPIRED).`);
    expect(of('network').try).toEqual([expect.stringMatching(/^Check the clock of this machine\. It says \d{4}-/)]);
  });
  it.each([
    [30, 'ok'],
    [5, 'warn'],
  ])('with a trusted certificate that is valid for %i days is %s', async (days, status) => {
    const { url, path } = await secureService(days);
    const { code, of } = await run({ MKT_BASE_URL: url, NODE_EXTRA_CA_CERTS: path });
    expect({ code, network: of('network').status }).toEqual({ code: 0, network: status });
    expect(of('network').detail).toMatch(
      /^127\.0\.0\.1, port \d+, reached in \d+ ms; TLSv1\.3, certificate valid until \d{4}-\d\d-\d\d/,
    );
    expect(of('sign in').detail).toBe('accepted, but the token has access to no organization');
  });
  it('fails if the service speaks plain http', async () => {
    const server = createPlainServer((_request, response) => response.end('plain'));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void server.close());
    const { code, of } = await run({ MKT_BASE_URL: `https://127.0.0.1:${(server.address() as AddressInfo).port}` });
    expect(code).toBe(8);
    expect(of('network').detail).toContain('does not respond with valid TLS');
    expect(of('network').try).toEqual([expect.stringMatching(/plain http works too, .*: http:\/\/127\.0\.0\.1:\d+$/)]);
  });
});

describe.skipIf(process.platform !== 'linux')('the keychain', () => {
  /** A session bus that takes connections and never says a word. */
  async function silentBus(): Promise<string> {
    const path = join(temporaryFolder(), 'bus');
    const sockets = new Set<Socket>();
    const server = createTcpServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
    });
    await new Promise<void>((listening) => server.listen(path, listening));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return `unix:path=${path}`;
  }
  const run = async (env: Readonly<Record<string, string>>) => {
    const { ended } = start([process.execPath, bundle, 'doctor', '--json'], { MKT_NO_KEYRING: '', ...env });
    const { code, stdout } = await ended;
    return { code, of: rowsOf(stdout) };
  };

  it('gives a warning if it is silent, and fails if it holds the token', async () => {
    await using service = await startService({ clock: Date.now });
    const bus = { DBUS_SESSION_BUS_ADDRESS: await silentBus() };
    const folder = signedInFolder(service.url, tokens.ada_write, 'keyring');
    const [spare, needed] = await Promise.all([
      run({ ...bus, MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url }),
      run({ ...bus, MKT_CONFIG_DIR: join(folder, 'config') }),
    ]);
    expect({ code: spare.code, keychain: spare.of('keychain') }).toMatchObject({
      code: 0,
      keychain: { status: 'warn', detail: 'A keychain exists, but it did not respond within 3 seconds.' },
    });
    expect(needed.code).toBe(4);
    expect(needed.of('keychain').detail).toContain('The keychain of this computer cannot be read');
    expect(needed.of('token').status).toBe('skipped');
    expect(needed.of('clock').status).toBe('ok');
  });

  it('is ok if there is none', async () => {
    await using service = await startService({ clock: Date.now });
    const bus = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere/bus' };
    const { code, of } = await run({ ...bus, MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url });
    expect({ code, status: of('keychain').status }).toEqual({ code: 0, status: 'ok' });
    expect(of('keychain').detail).toBe('none (none is running here); tokens are stored in a file');
  });
});
