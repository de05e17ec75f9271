import {
  AbortedError,
  AuthenticationError,
  ConfigurationError,
  ConnectionError,
  HttpError,
  MarketplaceError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ResponseParseError,
  ServerError,
  TimeoutError,
  TransitionError,
  ValidationError,
} from '@mkt/sdk';
import { hostOf, isLoopback } from '../../config/settings.js';
import type { Context } from '../../context/context.js';
import { placeFlags, serviceFlags } from '../../context/flags.js';
import {
  askDoctor,
  CliError,
  checkFirst,
  type Details,
  type Hint,
  interrupted,
  signIn,
  toType,
} from '../../errors/cli-error.js';
import { sanitizeLine } from '../../text/values.js';
import { cutTo } from '../../text/width.js';
import { type NamedProxy, routeTo } from '../http/proxy.js';
import { secondsText, tooManyRequests } from '../http/retries.js';
import { members, organizations } from '../labels.js';
import { listCommand, type Subject } from './subject.js';

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const PAST: Readonly<Record<string, string>> = { submit: 'submitted', leave: 'left', set: 'set' };
/** `publish` is `published`, `pause` is `paused`. */
export const past = (action: string): string => PAST[action] ?? (action.endsWith('e') ? `${action}d` : `${action}ed`);

/** `campaign 12`, or `campaigns` without an id. */
const objectOf = ({ resource, id }: Subject): string =>
  resource === undefined ? (id ?? 'this') : id === undefined ? resource.plural : `${resource.singular} ${id}`.trim();

/** As `objectOf`, but `the campaign` for one that is being created. */
const targetOf = (subject: Subject): string =>
  subject.action === 'create' && subject.resource !== undefined
    ? `the ${subject.resource.singular}`
    : objectOf(subject);

const inPlace = async ({ organization }: Subject): Promise<string> =>
  organization === undefined ? '' : ` in ${await organization.label()}`;

/** Whether the failed request certainly did not reach the service. */
export const neverReached = (error: unknown): boolean => error instanceof ConnectionError && !error.mayHaveArrived;

/** Whether the service may have made the change of a call that failed. */
export const mayHaveArrived = (error: unknown): boolean =>
  !(error instanceof MarketplaceError) || error.mayHaveArrived !== false;

/** Retrying a creation may create a second resource, so the user has to check first. Other changes can be retried. */
function checkHint(error: unknown, { action, resource, organization }: Subject, context: Context): Hint[] {
  if (action !== 'create' || resource === undefined || neverReached(error)) return [];
  return [checkFirst(listCommand(context, resource, organization), 'It may have been created. Check before retrying')];
}

function urlHint(context: Context): Hint {
  const origin = context.settings.baseUrl?.origin ?? '';
  const isStored = origin.startsWith('profile ');
  return isStored ? signIn(`mkt auth status${serviceFlags(context)}`, 'Check the URL') : `Check the URL in ${origin}`;
}

const doctorHint = (context: Context): Hint => askDoctor(`mkt doctor${placeFlags(context)}`, 'To find out why');

/** What the body says. */
const serverMessage = ({ messages, status }: HttpError): string =>
  messages.length === 0 ? `the service responded with ${status}.` : cutTo(sanitizeLine(messages.join(' ')), 300);

/** The message for the user; `explain` adds the status and the cause. */
type ErrorMessage = Pick<Details, 'code' | 'message' | 'namesObject' | 'hints' | 'fields' | 'reasons'>;

const failsWith = (request: PromiseLike<unknown>, ...classes: readonly (abstract new (...args: never[]) => Error)[]) =>
  request.then(
    () => false,
    (error: unknown) => classes.some((kind) => error instanceof kind),
  );

/** 401: the token was rejected, or it may only read. */
async function rejectedToken(error: AuthenticationError, _subject: Subject, context: Context): Promise<ErrorMessage> {
  const asked = hostOf(context.settings.requiredBaseUrl);
  // A masked token may make the URL invalid.
  const there = URL.canParse(error.url) ? hostOf(error.url) : asked;
  if (asked !== there)
    return {
      code: 'token_rejected',
      message: `${asked} redirects to ${there}, and your token is sent only to its own host.`,
      hints: [signIn(`mkt login --base-url ${there}`, 'If that is the right service')],
    };
  const { tokenOrigin } = await import('../../config/credentials.js');
  const origin = tokenOrigin(context.io, context.settings);
  const from = origin === undefined ? '' : ` (from ${origin})`;
  const isVariable = origin?.startsWith('MKT_') === true;
  const login = `mkt login${serviceFlags(context)}`;
  // A 401 to a change means a read-only token where the same token may read.
  if (error.method !== 'GET' && error.method !== 'HEAD') {
    const client = await context.client();
    if (!(await failsWith(client.organizations.list({ signal: context.signal }), Error)))
      return {
        code: 'token_read_only',
        message: `Your token${from} is read-only, so it cannot make changes.`,
        hints: [
          isVariable
            ? signIn(login, 'Set a token with write permission, or unset it and run')
            : signIn(login, 'Sign in with a token that has write permission'),
        ],
      };
  }
  return {
    code: 'token_rejected',
    message: `Your token${from} was rejected: it is invalid or has been revoked.`,
    hints: [signIn(login, isVariable ? 'Set another token, or unset it and run' : 'To sign in again')],
  };
}

/** 403: the role does not permit it, or the member is the owner, whom not even an admin can change. */
async function notPermitted(error: PermissionError, subject: Subject, context: Context): Promise<ErrorMessage> {
  const { action, resource, organization } = subject;
  const message = `You are not allowed to ${action} ${objectOf(subject)}${await inPlace(subject)}: ${serverMessage(error)}`;
  if (organization === undefined) return { code: 'forbidden', namesObject: true, message };
  const list = listCommand(context, members, organization);
  const hint =
    resource === members
      ? toType(list, 'Only admins may, and an owner always stays an admin')
      : toType(`${list} --role admin`, 'Ask an admin');
  return { code: 'forbidden', namesObject: true, message, hints: [hint] };
}

/** 404: of the service or the organization if those are not visible either, else of the resource. */
export async function notFound(subject: Subject, context: Context): Promise<ErrorMessage> {
  const { organization, resource, id } = subject;
  const options = { signal: context.signal };
  // Before the sign-in there is no client, and no organization either.
  const client = organization && (await context.client());
  const isHidden = client && (await failsWith(client.organizations.get(organization.id, options), NotFoundError));
  const isAddress = resource?.singular === 'address';
  // Every user has a list of organizations.
  const noApi = client
    ? isHidden && (await failsWith(client.organizations.list(options), NotFoundError, ResponseParseError))
    : id === undefined && !isAddress;
  if (noApi) {
    const url = context.settings.requiredBaseUrl;
    const { origin, pathname } = new URL(url);
    const hints = [...(pathname === '/' ? [] : [`Without its path, the URL is ${origin}`]), urlHint(context)];
    return { code: 'not_found', message: `There is no API at ${url}.`, hints };
  }
  if (isHidden) {
    const chosen = context.settings.organization;
    const origin = chosen?.value === organization.id ? ` (${chosen.origin})` : '';
    return {
      code: 'not_found',
      message: `Organization ${organization.id}${origin} was not found, or this token has no access to it.`,
      hints: [toType(listCommand(context, organizations))],
    };
  }
  if (isAddress)
    return {
      code: 'not_found',
      message: 'No address is set yet.',
      hints: [toType(`mkt address set${serviceFlags(context)}`)],
    };
  return {
    code: 'not_found',
    namesObject: true,
    message: `${capital(objectOf(subject))} was not found${await inPlace(subject)}.`,
    hints: resource && [toType(listCommand(context, resource, organization))],
  };
}

/** 422: invalid fields, or a rule that concerns no field. */
function invalid(error: ValidationError, subject: Subject): ErrorMessage {
  const { base: _base, ...fields } = error.fieldErrors;
  const count = Object.keys(fields).length;
  return {
    code: 'rejected',
    namesObject: count === 0,
    fields: count > 0 ? error.fieldErrors : {},
    reasons: count > 0 ? error.fieldReasons : {},
    hints: fields.logo && [toType('--logo FILE', 'To upload one')],
    message:
      count > 0
        ? `${count === 1 ? 'One field was' : `${count} fields were`} rejected; nothing was changed.`
        : `Cannot ${subject.action} ${targetOf(subject)}: ${serverMessage(error)}`,
  };
}

/** The codes along the chain of causes; an AggregateError carries one per address tried. */
const codesOf = (error: unknown): string[] => {
  if (typeof error !== 'object' || error === null) return [];
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown[] };
  return [...(typeof code === 'string' ? [code] : []), ...codesOf(cause), ...(errors ?? []).flatMap(codesOf)];
};

/** The message of the innermost cause: the errors around it only say that something failed. */
const innermost = (error: Error): string => (error.cause instanceof Error ? innermost(error.cause) : error.message);

/** `ECONNREFUSED`, or the message if there is no code. */
export const reasonOf = (error: unknown): string =>
  codesOf(error)[0] ?? (error instanceof Error ? innermost(error) : String(error));

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|ALTNAME/;
/** With a proxy, it is the proxy that these are about. */
const UNREACHABLE = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/;
const TLS = /^(EPROTO$|ERR_SSL_)/;

/** What is wrong with a proxy, without the name and password in its URL, and what to do. @param problem a status of its own, or the code of the failure */
export function proxyProblem(
  { variable, address }: NamedProxy,
  problem: number | string,
  service: string,
): readonly [message: string, ...hints: Hint[]] {
  const { protocol, username, host } = new URL(address);
  const proxy = `The proxy ${protocol}//${username === '' ? '' : '***@'}${host} (from ${variable})`;
  const bypass = toType(`export NO_PROXY=${new URL(service).hostname}`, 'To bypass it for this service');
  if (problem === 407) {
    const message =
      username === '' ? 'requires a name and a password' : `does not accept the name and password in ${variable}`;
    return [`${proxy} ${message} (407).`, toType(`export ${variable}=${protocol}//NAME:PASSWORD@${host}`), bypass];
  }
  if (typeof problem === 'number')
    return [`${proxy} does not connect to ${service} (${problem}).`, 'Ask your network administrator', bypass];
  const ask = `Ask your network administrator for its URL, or connect without it: unset ${variable}`;
  return [`${proxy} does not respond (${problem}).`, ask, bypass];
}

const triedText = ({ attempts = 1 }: { readonly attempts?: number }): string =>
  attempts > 1 ? `, tried ${attempts} times` : '';

function connectionProblem(error: ConnectionError, context: Context): readonly [message: string, ...hints: Hint[]] {
  const service = context.settings.requiredBaseUrl;
  const codes = codesOf(error);
  const route = routeTo(service, context.io.env);
  const certificate = codes.find((code) => CERTIFICATE.test(code));
  const tls = codes.find((code) => TLS.test(code));
  const reason = reasonOf(error);
  if (route.by === 'proxy') {
    // Only undici's message has the status.
    const [, status] = /^Proxy response \((\d+)\)/.exec(innermost(error)) ?? [];
    if (status !== undefined) return proxyProblem(route.proxy, Number(status), service);
    if (codes.some((code) => UNREACHABLE.test(code))) return proxyProblem(route.proxy, reason, service);
  }
  const proxy = route.by === 'proxy' ? [`Check the proxy settings (${route.proxy.variable})`] : [];
  if (codes.includes('ECONNREFUSED')) return [`Nothing is listening at ${service}.`, urlHint(context)];
  if (codes.includes('ENOTFOUND') || codes.includes('EAI_AGAIN'))
    return [`The host of ${service} was not found.`, 'Check your network connection', urlHint(context)];
  if (certificate?.includes('ALTNAME'))
    return [`The certificate of ${service} is for another host name (${certificate}).`, urlHint(context), ...proxy];
  if (certificate !== undefined) {
    const isUntimely = certificate === 'CERT_HAS_EXPIRED' || certificate === 'CERT_NOT_YET_VALID';
    return [
      `The certificate of ${service} is not ${isUntimely ? 'valid at this time' : 'trusted'} (${certificate}).`,
      ...(isUntimely ? [] : ['Behind a company proxy: NODE_EXTRA_CA_CERTS=/path/to/company-ca.pem']),
      `Check the clock of this machine. It says ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    ];
  }
  if (tls !== undefined) {
    const plain = `On this machine, plain http works too, as mkt serve uses it: ${service.replace('https:', 'http:')}`;
    const hint = isLoopback(service) ? plain : urlHint(context);
    return [`${service} does not respond with valid TLS (${tls}).`, hint, ...proxy];
  }
  if (codes.includes('REDIRECT_LOOP')) return [`${service} redirects endlessly.`, urlHint(context)];
  return [`The connection to ${service} failed (${reason})${triedText(error)}.`, 'Try again later', ...proxy];
}

type Explanation<Kind> = (error: Kind, subject: Subject, context: Context) => ErrorMessage | Promise<ErrorMessage>;
type Row = readonly [kind: abstract new (...args: never[]) => Error, explanation: Explanation<Error>];

const row = <Kind extends Error>(
  kind: abstract new (...args: never[]) => Kind,
  explanation: Explanation<Kind>,
  // The table is searched with instanceof, so a row gets errors of its own class only.
): Row => [kind, explanation as Explanation<Error>];

/** The message for each class of error. The first match counts: classes for one status precede HttpError. */
const table: readonly Row[] = [
  row(AuthenticationError, rejectedToken),
  row(PermissionError, notPermitted),
  row(NotFoundError, (_error, subject, context) => notFound(subject, context)),
  row(ValidationError, invalid),
  row(RateLimitError, ({ retryAfterMs }, _subject, { io }) => tooManyRequests(retryAfterMs, io)),
  row(ServerError, (error, subject, context) => ({
    code: 'service_failed',
    namesObject: true,
    message: `The service failed to ${subject.action} ${targetOf(subject)} (${error.status})${triedText(error)}.`,
    hints: [
      // 503 means that nothing was done.
      ...(error.status === 503 ? [] : checkHint(error, subject, context)),
      `Try again later${error.requestId === null ? '' : '; if it keeps failing, report the request id'}`,
    ],
  })),
  row(TransitionError, (error, subject) => {
    const done = past(subject.action);
    const state = sanitizeLine(error.from).replaceAll('_', ' ');
    const object = capital(objectOf(subject));
    const message =
      state === 'draft'
        ? `${object} is a draft, and a draft cannot be ${done}.`
        : `${object} cannot be ${done}: it is ${state}.`;
    return { code: 'transition_refused', namesObject: true, message };
  }),
  row(HttpError, (error, subject, context) => {
    // The API does not redirect reads. A redirect to the sign-in page is an AuthenticationError.
    if (error.status < 400) {
      const to = sanitizeLine(error.headers.get('location') ?? 'nowhere');
      const message = `The service sent an unexpected redirect to ${to}.`;
      return { code: 'unreadable_answer', message, hints: [urlHint(context)] };
    }
    const service = context.settings.requiredBaseUrl;
    const route = routeTo(service, context.io.env);
    if (error.status === 407 && route.by === 'proxy') {
      const [message, ...hints] = proxyProblem(route.proxy, 407, service);
      return { code: 'network', message, hints };
    }
    const message = `Cannot ${subject.action} ${targetOf(subject)}: ${serverMessage(error)}`;
    return { code: 'rejected', namesObject: true, message };
  }),
  row(ResponseParseError, (error, _subject, context) => ({
    code: 'unreadable_answer',
    // A masked token may make the URL invalid, so it is not parsed.
    message: `${error.url.split('/', 3).join('/')} sent a response that is not JSON of the API.`,
    hints: [
      urlHint(context),
      toType(`mkt api PATH -i${serviceFlags(context)}`, 'To see the response'),
      doctorHint(context),
    ],
  })),
  row(TimeoutError, (error, subject, context) => ({
    code: 'timeout',
    message: `No response from ${context.settings.requiredBaseUrl} within ${secondsText(error.timeoutMs)}${triedText(error)}.`,
    hints: [...checkHint(error, subject, context), toType('--timeout 120', 'To wait longer'), doctorHint(context)],
  })),
  row(ConnectionError, (error, subject, context) => {
    const [message, ...hints] = connectionProblem(error, context);
    return { code: 'network', message, hints: [...checkHint(error, subject, context), ...hints, doctorHint(context)] };
  }),
  row(ConfigurationError, (error) => ({
    code: 'usage',
    message: error.reason,
  })),
];

const READING = ['list', 'show', 'export', 'use', 'run', 'import'];

/** Ctrl-C ends the wait for a response, but the service may still process the request. */
function stopped(error: unknown, subject: Subject): CliError {
  const { action, resource, id } = subject;
  if (resource === undefined || READING.includes(action.split(' ')[0] ?? '')) return interrupted();
  const what = id === undefined ? `the ${resource.singular}` : objectOf(subject);
  return interrupted(`Interrupted: ${what} ${mayHaveArrived(error) ? 'may have been' : 'was not'} ${past(action)}.`);
}

/** Converts an error to a message for the user: what happened, and what to do next. */
export async function explain(error: unknown, subject: Subject, context: Context): Promise<unknown> {
  if (error instanceof CliError) return error;
  if (context.signal.aborted || error instanceof AbortedError) return stopped(error, subject);
  const found = table.find(([kind]) => error instanceof kind);
  if (found === undefined || !(error instanceof Error)) return error;
  const message = await found[1](error, subject, context);
  const response = error instanceof HttpError || error instanceof ResponseParseError ? error : undefined;
  return new CliError({
    ...message,
    cause: error,
    status: response?.status,
    requestId: response?.requestId == null ? undefined : sanitizeLine(response.requestId),
  });
}
