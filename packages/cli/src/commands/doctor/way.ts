import { lookup } from 'node:dns/promises';
import { isIP, type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { isLoopback } from '../../config/base-url.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { type Check, fail, ok, skipped, warn } from './check.js';
import { type Host, hostIn, type Limits, opened, reach, reasonOf, took, within } from './reach.js';

const DAY_MS = 86_400_000;
/** A certificate that ends within this time is told about. */
const SOON_DAYS = 14;

async function dnsCheck({ name }: Host, limits: Limits): Promise<Check> {
  const check = 'dns';
  if (isIP(name) !== 0) return ok(check, `${name} is an address already`);
  const began = performance.now();
  try {
    const found = await within(lookup(name, { all: true }), limits);
    return ok(check, `${name} is ${found.map(({ address }) => address).join(', ')}, found in ${took(began)}`);
  } catch (error) {
    return fail(
      check,
      exitCodes.network,
      `${name} was not found (${reasonOf(error)}).`,
      'Is the address right? mkt config list --show-origin',
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
  const days = Math.floor((end.getTime() - now.getTime()) / DAY_MS);
  const detail = `${version}, certificate valid until ${end.toISOString().slice(0, 10)}, in ${took(began)}`;
  if (days < SOON_DAYS) return warn(check, `${detail}.`, 'Tell whoever runs the service that it ends soon');
  return ok(check, detail);
}

async function tlsCheck(address: string, tcp: Socket, now: Date, limits: Limits): Promise<Check> {
  const host = hostIn(address);
  const began = performance.now();
  const options = { socket: tcp, rejectUnauthorized: false, ...(isIP(host.name) === 0 && { servername: host.name }) };
  try {
    const socket = await opened(connect({ ...options, host: host.name }), 'secureConnect', limits);
    const check = certificateCheck(socket, host, now, began);
    socket.destroy();
    return check;
  } catch (error) {
    return fail(
      'tls',
      exitCodes.network,
      `${host.name} does not speak TLS as it should (${reasonOf(error)}).`,
      isLoopback(address)
        ? `On this machine plain http will do, as mkt serve speaks it: http://${new URL(address).host}`
        : 'Is the address right? mkt config list --show-origin',
    );
  }
}

/** The way to the service without a proxy: name, connection, encryption. */
export async function* wayChecks(address: string, now: Date, limits: Limits): AsyncGenerator<Check> {
  const host = hostIn(address);
  const dns = await dnsCheck(host, limits);
  yield dns;
  if (dns.status === 'fail') {
    yield skipped('tcp', 'the host was not found');
    yield skipped('tls', 'the host was not found');
    return;
  }
  const began = performance.now();
  let tcp: Socket;
  try {
    tcp = await reach(host, limits);
  } catch (error) {
    yield fail(
      'tcp',
      exitCodes.network,
      `Nothing answers at ${host.name}, port ${host.port} (${reasonOf(error)}).`,
      'Is the address right? mkt config list --show-origin',
      'Does a firewall or a missing proxy stand between? See HTTPS_PROXY in: mkt help environment',
    );
    yield skipped('tls', 'there is no connection');
    return;
  }
  yield ok('tcp', `${host.name}, port ${host.port}, reached in ${took(began)}`);
  yield host.secure
    ? await tlsCheck(address, tcp, now, limits)
    : ok('tls', 'none: this machine is reached by plain http');
  tcp.destroy();
}
