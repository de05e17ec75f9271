import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { ConnectionError, type Middleware } from '@mkt/sdk';
import { explain, proxyProblem, reasonOf } from '../../api/errors/explain.js';
import { clientFor, withoutRedirects } from '../../api/http/client.js';
import { isProxyAddress, routeTo } from '../../api/http/proxy.js';
import { organizations } from '../../api/labels.js';
import { findOrganization } from '../../api/organization.js';
import { lastFour, resolveToken, tokenVariable } from '../../config/credentials.js';
import type { Context } from '../../context/context.js';
import { CliError, exitCodes, toType } from '../../errors/cli-error.js';
import { clockDifference } from '../../text/local-time.js';
import { idOf, nameOf } from '../../text/values.js';
import { type Check, type Findings, fail, ok, type Result, skipped, warn } from './check.js';

const TIMEOUT = 5000;
const DAY_MS = 86_400_000;
/** A certificate that expires within this time gets a warning. */
const SOON_DAYS = 14;

async function token(findings: Findings): Promise<Result> {
  const { io, settings } = findings.context;
  const found = await resolveToken(io, settings, settings.requiredBaseUrl);
  findings.token = found;
  const isOverride = tokenVariable(io) !== undefined && settings.profile?.storage !== undefined;
  const note = isOverride ? '; it overrides the stored one' : '';
  return ok(`ends in ${lastFour(found.value)} (from ${found.origin})${note}`);
}

function hostIn(url: string) {
  const { hostname, port, protocol } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (protocol === 'https:' ? 443 : 80) };
}

const routeOf = ({ settings, io }: Context) => routeTo(settings.requiredBaseUrl, io.env);

const since = (began: number): string => `${Math.max(1, Math.round(performance.now() - began))} ms`;

async function within<Value>(work: Promise<Value>, { options, io }: Context): Promise<Value> {
  const timeout = options.timeout ?? TIMEOUT;
  const late = once(AbortSignal.any([io.interrupted, AbortSignal.timeout(timeout)]), 'abort').then((): never => {
    throw new Error(`no response within ${timeout / 1000} s`);
  });
  return Promise.race([work, late]);
}

/** Opens a connection, waits until it can be used, calls `read`, and closes it. */
async function reach<Value>(url: string, context: Context, read: (socket: Socket | TLSSocket) => Value) {
  const { host, port } = hostIn(url);
  const isSecure = url.startsWith('https:');
  const socket = isSecure
    ? connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }) })
    : connectTcp(port, host);
  // An error after this must not crash the process.
  socket.on('error', () => undefined);
  try {
    await within(once(socket, isSecure ? 'secureConnect' : 'connect'), context);
    return read(socket);
  } finally {
    socket.destroy();
  }
}

async function proxy({ context }: Findings): Promise<Result> {
  const route = routeOf(context);
  if (route.by === 'itself') return ok(route.reason ?? 'none is set');
  const { variable, address } = route.proxy;
  if (!isProxyAddress(address)) {
    const hint = `export ${variable}=http://proxy.example.com:8080`;
    return fail(exitCodes.usage, `${variable} is not a valid proxy URL.`, hint);
  }
  const { protocol, username, host, hostname } = new URL(address);
  const shown = `${protocol}//${username === '' ? '' : '***@'}${host}`;
  try {
    const began = performance.now();
    return await reach(`http://${hostname}:${hostIn(address).port}`, context, () =>
      ok(`${shown} (from ${variable}), reached in ${since(began)}`),
    );
  } catch (error) {
    return fail(exitCodes.network, ...proxyProblem(route.proxy, reasonOf(error), context.settings.requiredBaseUrl));
  }
}

/** The connection to the service: its name, its port, and with https its certificate. A proxy does that itself. */
async function network({ context }: Findings): Promise<Result> {
  if (routeOf(context).by === 'proxy') return ok('done by the proxy');
  const url = context.settings.requiredBaseUrl;
  const began = performance.now();
  try {
    return await reach(url, context, (socket) => {
      const reached = `${socket.remoteAddress}, port ${socket.remotePort}, reached in ${since(began)}`;
      if (!(socket instanceof TLSSocket)) return ok(reached);
      const end = new Date(socket.getPeerCertificate().valid_to);
      const detail = `${reached}; ${socket.getProtocol()}, certificate valid until ${end.toISOString().slice(0, 10)}`;
      if (end.getTime() - context.io.now().getTime() >= SOON_DAYS * DAY_MS) return ok(detail);
      return warn(`${detail}.`, 'Tell the operator of the service that it expires soon');
    });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const failure = new ConnectionError(error.message, { cause: error });
    throw await explain(failure, { action: 'list', resource: organizations }, context);
  }
}

/** Lists organizations, without a token if there is none. Later checks use the result. */
async function response(findings: Findings): Promise<Result> {
  const { context, token } = findings;
  const { io } = context;
  const keepResponse: Middleware = async (request, next) => {
    findings.response = await next(withoutRedirects(request));
    findings.receivedAt = io.now();
    return findings.response;
  };
  const client = await clientFor(context, context.settings.requiredBaseUrl, token?.value ?? 'none', [keepResponse]);
  const began = performance.now();
  const anonymous = token === undefined && { headers: { authorization: null } };
  try {
    const page = await client.organizations.list({ signal: io.interrupted, retry: false, ...anonymous });
    findings.organizations = page.totalCount ?? page.items.length;
  } catch (cause) {
    const error = await explain(cause, { action: 'list', resource: organizations }, context);
    const rejections: readonly number[] = [exitCodes.authentication, exitCodes.forbidden];
    if (!(error instanceof CliError) || !rejections.includes(error.exitCode)) throw error;
    findings.rejection = error;
  }
  return ok(`${findings.response?.status} in ${since(began)}`);
}

function signIn({ rejection, organizations = 0 }: Findings): Result {
  if (rejection) throw rejection;
  if (organizations === 0)
    return warn(
      'accepted, but the token has access to no organization',
      toType('mkt organizations create --name NAME'),
    );
  return ok(`accepted; access to ${organizations} organization${organizations === 1 ? '' : 's'}`);
}

async function organization({ context, token, organizations: count }: Findings): Promise<Result> {
  const wanted = context.settings.organization;
  if (wanted === undefined) {
    const next = count === 1 ? 'the token has access to only one' : 'commands ask for it, or use --org';
    return ok(`none chosen; ${next}`);
  }
  // With the token that was found: the client of a command would correct the permissions of its file.
  const io = { ...context.io, env: { ...context.io.env, MKT_TOKEN: token?.value } };
  const row = await findOrganization(context.derived(io, context.options), wanted.value, wanted.origin);
  return ok(`${nameOf(row)} (${idOf(row)}, from ${wanted.origin})`);
}

function clock({ response, receivedAt }: Findings): Result {
  const theirs = Date.parse(response?.headers.get('date') ?? '');
  if (receivedAt === undefined || Number.isNaN(theirs)) return skipped('the service does not send a Date header');
  const ahead = receivedAt.getTime() - theirs;
  const difference = clockDifference(ahead);
  if (difference === undefined) return ok(`differs by ${Math.round(Math.abs(ahead) / 1000)} s from the service`);
  return warn(difference, 'Let the system set the clock; on Linux: timedatectl set-ntp true');
}

/** Of a server with test controls: what `mkt serve --strict` prints. */
async function requests({ context }: Findings): Promise<Result> {
  const { io, settings } = context;
  const { connectControl } = await import('@mkt/mock-server/control');
  const url = `${settings.requiredBaseUrl}/__mkt/v1`;
  const control = connectControl({ url, token: io.env[controlToken] ?? '' });
  try {
    const mistakes = await within(control.requests.list({ unexpected: true }), context);
    const latest = mistakes.slice(-3).map(({ method, path, unexpected }) => `${method} ${path}: ${unexpected}`);
    return latest.length === 0
      ? ok('none with a mistake so far')
      : warn(`${mistakes.length} with mistakes; the last: ${latest.join(' ')}`);
  } catch (error) {
    return warn((error as Error).message);
  }
}

export const serviceChecks: readonly Check[] = [
  {
    name: 'service',
    needs: ({ settings }) => (settings.baseUrl === undefined ? ['profile'] : []),
    run: ({ context: { settings } }) => ok(`${settings.requiredBaseUrl} (from ${settings.baseUrl?.origin})`),
  },
  {
    name: 'token',
    needs: ({ io }) => ['service', ...(tokenVariable(io) === undefined ? ['profile', 'keychain'] : [])],
    run: token,
  },
  { name: 'proxy', needs: () => ['service'], run: proxy },
  { name: 'network', needs: () => ['proxy'], run: network },
  { name: 'response', needs: () => ['network'], run: response },
  { name: 'sign in', needs: () => ['token', 'response'], run: signIn },
  {
    name: 'organization',
    needs: ({ settings }) => ['sign in', ...(settings.organization === undefined ? ['project file', 'profile'] : [])],
    run: organization,
  },
  { name: 'clock', needs: () => ['network'], run: clock },
];

const controlToken = 'MKT_SERVE_CONTROL_TOKEN';
/** Only where the token of a server's test controls is known. */
export const testControlChecks = ({ io }: Context): readonly Check[] =>
  io.env[controlToken] ? [{ name: 'requests', needs: () => ['network'], run: requests }] : [];
