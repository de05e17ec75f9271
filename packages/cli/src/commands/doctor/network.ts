import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { isProxyAddress, type Route } from '../../api/http/proxy-of.js';
import { isLoopback } from '../../config/base-url.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { type Check, fail, ok, reasonOf, skipped, warn } from './check.js';

const DAY_MS = 86_400_000;
/** A certificate that expires within this time gets a warning. */
const SOON_DAYS = 14;
const CHECK_URL = 'Is the URL right? mkt config list --show-origin';

/** What ends a step early. */
interface Limits {
  /** Milliseconds for one step. */
  readonly timeout: number;
  readonly interrupted: AbortSignal;
}

interface Host {
  readonly name: string;
  readonly port: number;
  readonly isSecure: boolean;
}

/** The host of an http or https URL. */
function hostIn(url: string): Host {
  const { hostname, port, protocol } = new URL(url);
  const isSecure = protocol === 'https:';
  return { name: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (isSecure ? 443 : 80), isSecure };
}

const took = (began: number): string => `${Math.max(1, Math.round(performance.now() - began))} ms`;

async function within<Result>(work: Promise<Result>, { timeout, interrupted }: Limits): Promise<Result> {
  const done = new AbortController();
  const late = async (): Promise<never> => {
    await delay(timeout, undefined, { signal: AbortSignal.any([done.signal, interrupted]) });
    throw new Error(`no answer within ${timeout / 1000} s`);
  };
  try {
    return await Promise.race([work, late()]);
  } finally {
    done.abort();
  }
}

/** The socket once `event` was emitted; otherwise it is closed. */
async function opened<Opening extends Socket>(socket: Opening, event: string, limits: Limits): Promise<Opening> {
  // A socket that breaks later must not end the program.
  socket.on('error', () => undefined);
  try {
    await within(once(socket, event), limits);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

const connect = ({ name, port }: Host, limits: Limits): Promise<Socket> =>
  opened(connectTcp({ host: name, port }), 'connect', limits);

/** The proxy that requests to the service go through, or why they go through none. */
export async function proxyCheck(route: Route, service: string, limits: Limits): Promise<Check> {
  const check = 'proxy';
  if (route.by === 'itself') return ok(check, route.reason ?? 'none is set');
  const { variable, address } = route.proxy;
  if (!isProxyAddress(address)) {
    return fail(
      check,
      exitCodes.usage,
      `${variable} is not the URL of a proxy.`,
      `export ${variable}=http://proxy.example.com:8080`,
    );
  }
  const { protocol, username, host } = new URL(address);
  const shown = `${protocol}//${username === '' ? '' : '***@'}${host}`;
  const began = performance.now();
  try {
    (await connect(hostIn(address), limits)).destroy();
    return ok(check, `${shown} (from ${variable}), reached in ${took(began)}`);
  } catch (error) {
    return fail(
      check,
      exitCodes.network,
      `The proxy ${shown} (from ${variable}) does not answer (${reasonOf(error)}).`,
      `Ask your network administrator for its URL, or do without: unset ${variable}`,
      `For this service only: export NO_PROXY=${hostIn(service).name}`,
    );
  }
}

async function dnsCheck({ name }: Host, limits: Limits): Promise<Check> {
  const check = 'dns';
  if (isIP(name) !== 0) return ok(check, `${name} is an IP address`);
  const began = performance.now();
  try {
    const found = await within(lookup(name, { all: true }), limits);
    return ok(check, `${name} is ${found.map(({ address }) => address).join(', ')}, found in ${took(began)}`);
  } catch (error) {
    return fail(
      check,
      exitCodes.network,
      `${name} was not found (${reasonOf(error)}).`,
      CHECK_URL,
      'Is there a network? Open any page in a browser',
    );
  }
}

function certificateCheck(socket: TLSSocket, { name }: Host, now: Date, began: number): Check {
  const check = 'tls';
  const version = socket.getProtocol();
  if (!socket.authorized) {
    return fail(
      check,
      exitCodes.network,
      `The certificate of ${name} is not trusted (${String(socket.authorizationError)}).`,
      'Behind a company proxy: NODE_EXTRA_CA_CERTS=/path/to/company-ca.pem',
      `Is the clock of this machine right? It says ${now.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    );
  }
  const end = new Date(socket.getPeerCertificate().valid_to);
  if (Number.isNaN(end.getTime())) return ok(check, `${version}, in ${took(began)}`);
  const detail = `${version}, certificate valid until ${end.toISOString().slice(0, 10)}, in ${took(began)}`;
  if (end.getTime() - now.getTime() < SOON_DAYS * DAY_MS)
    return warn(check, `${detail}.`, 'Tell whoever runs the service that it expires soon');
  return ok(check, detail);
}

async function tlsCheck(url: string, tcp: Socket, now: Date, limits: Limits): Promise<Check> {
  const host = hostIn(url);
  const began = performance.now();
  const servername = isIP(host.name) === 0 && { servername: host.name };
  const options = { socket: tcp, host: host.name, rejectUnauthorized: false, ...servername };
  try {
    const socket = await opened(connectTls(options), 'secureConnect', limits);
    const check = certificateCheck(socket, host, now, began);
    socket.destroy();
    return check;
  } catch (error) {
    return fail(
      'tls',
      exitCodes.network,
      `${host.name} does not answer with valid TLS (${reasonOf(error)}).`,
      isLoopback(url)
        ? `On this machine plain http works, as mkt serve uses it: http://${new URL(url).host}`
        : CHECK_URL,
    );
  }
}

/** The connection to the service without a proxy: name, TCP, TLS. */
export async function* connectionChecks(url: string, now: Date, limits: Limits): AsyncGenerator<Check> {
  const host = hostIn(url);
  const dns = await dnsCheck(host, limits);
  yield dns;
  if (dns.status === 'fail') {
    yield* ['tcp', 'tls'].map((check) => skipped(check, 'the host was not found'));
    return;
  }
  const began = performance.now();
  let tcp: Socket;
  try {
    tcp = await connect(host, limits);
  } catch (error) {
    yield fail(
      'tcp',
      exitCodes.network,
      `Nothing answers at ${host.name}, port ${host.port} (${reasonOf(error)}).`,
      CHECK_URL,
      'Does a firewall block it, or is a proxy missing? See HTTPS_PROXY in: mkt help environment',
    );
    yield skipped('tls', 'there is no connection');
    return;
  }
  yield ok('tcp', `${host.name}, port ${host.port}, reached in ${took(began)}`);
  yield host.isSecure ? await tlsCheck(url, tcp, now, limits) : ok('tls', 'none: plain http, on this machine only');
  tcp.destroy();
}
