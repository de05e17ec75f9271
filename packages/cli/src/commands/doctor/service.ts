import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { Middleware } from '@mkt/sdk';
import { explain, explained, reasonOf, unreachable } from '../../api/errors/explain.js';
import { clientFor } from '../../api/http/client.js';
import { isProxyAddress, routeTo } from '../../api/http/proxy.js';
import { idOf } from '../../api/organization.js';
import { organizations } from '../../api/resources.js';
import { lastFour, resolveToken, tokenVariable } from '../../config/credentials.js';
import type { Context } from '../../context/context.js';
import { CliError } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { cellText, valueAt } from '../../text/row.js';
import { sanitizeLine } from '../../text/sanitize.js';
import { type Check, type Findings, fail, ok, type Result, skipped, warn } from './check.js';

/** Milliseconds for one network step, unless `--timeout` says otherwise. */
const TIMEOUT = 5000;
/** A clock that is off by more breaks certificates and sign-ins elsewhere. */
const SKEW_MS = 5 * 60_000;
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

interface Host {
  readonly host: string;
  readonly port: number;
}

function hostIn(url: string): Host {
  const { hostname, port, protocol } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (protocol === 'https:' ? 443 : 80) };
}

const routeOf = ({ settings, io }: Context) => routeTo(settings.requiredBaseUrl, io.env);

const since = (began: number): string => `${Math.max(1, Math.round(performance.now() - began))} ms`;

async function within<Value>(work: Promise<Value>, { options, io }: Context): Promise<Value> {
  const done = new AbortController();
  const timeout = options.timeout ?? TIMEOUT;
  const late = async (): Promise<never> => {
    await delay(timeout, undefined, { signal: AbortSignal.any([done.signal, io.interrupted]) });
    throw new Error(`no answer within ${timeout / 1000} s`);
  };
  try {
    return await Promise.race([work, late()]);
  } finally {
    done.abort();
  }
}

/** Waits for `event`, reads what is known then, and closes the socket. */
async function reach<Value>(socket: Socket, event: string, context: Context, read: () => Value): Promise<Value> {
  // A socket that breaks later must not end the program.
  socket.on('error', () => undefined);
  try {
    await within(once(socket, event), context);
    return read();
  } finally {
    socket.destroy();
  }
}

/** Opens a TCP connection, and gives the time that it took. */
async function reachTcp(host: Host, context: Context): Promise<string> {
  const began = performance.now();
  return reach(connectTcp(host), 'connect', context, () => since(began));
}

async function proxy({ context }: Findings): Promise<Result> {
  const route = routeOf(context);
  if (route.by === 'itself') return ok(route.reason ?? 'none is set');
  const { variable, address } = route.proxy;
  if (!isProxyAddress(address)) {
    const hint = `export ${variable}=http://proxy.example.com:8080`;
    return fail(exitCodes.usage, `${variable} is not the URL of a proxy.`, hint);
  }
  const { protocol, username, host } = new URL(address);
  const shown = `${protocol}//${username === '' ? '' : '***@'}${host}`;
  try {
    return ok(`${shown} (from ${variable}), reached in ${await reachTcp(hostIn(address), context)}`);
  } catch (error) {
    return fail(
      exitCodes.network,
      `The proxy ${shown} (from ${variable}) does not answer (${reasonOf(error)}).`,
      `Ask your network administrator for its URL, or do without: unset ${variable}`,
      `For this service only: export NO_PROXY=${hostIn(context.settings.requiredBaseUrl).host}`,
    );
  }
}

async function dns({ host }: Host, context: Context): Promise<Result> {
  if (isIP(host) !== 0) return ok(`${host} is an IP address`);
  const began = performance.now();
  const found = await within(lookup(host, { all: true }), context);
  return ok(`${host} is ${found.map(({ address }) => address).join(', ')}, found in ${since(began)}`);
}

const tcp = async ({ host, port }: Host, context: Context): Promise<Result> =>
  ok(`${host}, port ${port}, reached in ${await reachTcp({ host, port }, context)}`);

async function tls({ host, port }: Host, context: Context): Promise<Result> {
  if (context.settings.requiredBaseUrl.startsWith('http:')) return ok('none: plain http, on this machine only');
  const began = performance.now();
  const servername = isIP(host) === 0 && { servername: host };
  const socket = connectTls({ host, port, ...servername });
  return reach(socket, 'secureConnect', context, () => {
    const end = new Date(socket.getPeerCertificate().valid_to);
    const validity = `certificate valid until ${end.toISOString().slice(0, 10)}`;
    const detail = `${socket.getProtocol()}, ${validity}, in ${since(began)}`;
    if (end.getTime() - context.io.now().getTime() >= SOON_DAYS * DAY_MS) return ok(detail);
    return warn(`${detail}.`, 'Tell whoever runs the service that it expires soon');
  });
}

/** A step of a connection without a proxy. */
const direct =
  (step: (host: Host, context: Context) => Promise<Result>): Check['run'] =>
  async ({ context }) => {
    if (routeOf(context).by === 'proxy') return ok('the proxy does that');
    try {
      return await step(hostIn(context.settings.requiredBaseUrl), context);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      throw new CliError(unreachable(error, { verb: 'list', resource: organizations }, context));
    }
  };

const clientOf = ({ context, token }: Findings, ...middleware: readonly Middleware[]) =>
  clientFor(context, context.settings.requiredBaseUrl, token?.value ?? 'none', middleware);

/** Lists organizations, without a token if there is none: the checks below read the result. */
async function answer(findings: Findings): Promise<Result> {
  const { context, token } = findings;
  const { io } = context;
  const client = await clientOf(findings, async (request, next) => {
    findings.response = await next(new Request(request, { redirect: 'manual' }));
    findings.receivedAt = io.now();
    return findings.response;
  });
  const began = performance.now();
  const anonymous = token === undefined && { headers: { authorization: null } };
  try {
    const page = await client.organizations.list({ signal: io.interrupted, retry: false, ...anonymous });
    findings.organizations = page.totalCount ?? page.items.length;
  } catch (cause) {
    const error = await explain(cause, { verb: 'list', resource: organizations }, context);
    const rejections: readonly number[] = [exitCodes.authentication, exitCodes.forbidden];
    if (!(error instanceof CliError) || !rejections.includes(error.exitCode)) throw error;
    findings.rejection = error;
  }
  return ok(`${findings.response?.status} in ${since(began)}`);
}

function signIn({ rejection, organizations = 0 }: Findings): Result {
  if (rejection) throw rejection;
  if (organizations === 0)
    return warn('accepted; the token sees no organization', 'mkt organizations create --name NAME');
  return ok(`accepted; the token sees ${organizations} organization${organizations === 1 ? '' : 's'}`);
}

/** The organization to work in, and whether the token sees it. */
async function organization(findings: Findings): Promise<Result> {
  const { context } = findings;
  const wanted = context.settings.organization;
  if (wanted === undefined) {
    const isOnly = findings.organizations === 1;
    return ok(isOnly ? 'none chosen; the token sees only one' : 'none chosen: commands ask, or take --org');
  }
  const { value, origin } = wanted;
  const client = await clientOf(findings);
  const find = async (): Promise<Result | undefined> => {
    for await (const row of client.organizations.list({ signal: context.io.interrupted })) {
      const [id, name] = [idOf(row), cellText(valueAt(row, 'name'))];
      if (id === value || name === value) return ok(`${sanitizeLine(name)} (${id}, from ${origin})`);
    }
    return undefined;
  };
  const found = await explained(context, { verb: 'list', resource: organizations }, find);
  return (
    found ??
    fail(
      exitCodes.notFound,
      `${sanitizeLine(value)} (from ${origin}) was not found, or this token cannot see it.`,
      'mkt organizations list',
      'To choose another: mkt organizations use ID',
    )
  );
}

/** This machine's clock against that of the service. */
function clock({ response, receivedAt }: Findings): Result {
  const theirs = Date.parse(response?.headers.get('date') ?? '');
  if (receivedAt === undefined || Number.isNaN(theirs)) return skipped('the service does not send its time');
  const ahead = receivedAt.getTime() - theirs;
  const seconds = Math.round(Math.abs(ahead) / 1000);
  const apart = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} minutes`;
  if (Math.abs(ahead) <= SKEW_MS) return ok(`${apart} from that of the service`);
  return warn(
    `This machine is ${apart} ${ahead > 0 ? 'ahead of' : 'behind'} the service.`,
    'Let the system set its time; on Linux: timedatectl set-ntp true',
  );
}

/** The URL of the service and the token, the network path to it, and what its response says. */
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
  { name: 'dns', needs: () => ['proxy'], run: direct(dns) },
  { name: 'tcp', needs: () => ['dns'], run: direct(tcp) },
  { name: 'tls', needs: () => ['tcp'], run: direct(tls) },
  { name: 'answer', needs: () => ['tls'], run: answer },
  { name: 'sign in', needs: () => ['token', 'answer'], run: signIn },
  {
    name: 'organization',
    needs: ({ settings }) => ['sign in', ...(settings.organization === undefined ? ['project file', 'profile'] : [])],
    run: organization,
  },
  {
    name: 'write access',
    needs: () => ['sign in'],
    run: () => skipped('cannot be checked without a change; mkt tokens list shows the permission of your tokens'),
  },
  { name: 'clock', needs: () => ['tls'], run: clock },
];
