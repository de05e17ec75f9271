import {
  AbortedError,
  AuthenticationError,
  ConfigurationError,
  ConnectionError,
  HttpError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ResponseParseError,
  ServerError,
  TimeoutError,
  TransitionError,
  ValidationError,
} from '@mkt/sdk';
import { hostOf, isLoopback } from '../../config/base-url.js';
import type { Context, Organization } from '../../context/context.js';
import { placeFlags } from '../../context/next-command.js';
import { CliError, type Details, interrupted } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { sanitizeLine } from '../../text/sanitize.js';
import { cutTo } from '../../text/width.js';
import type { Resource } from '../resources.js';

/** The operation that failed, for messages: `publish campaign 12`. */
export interface Subject {
  readonly action: string;
  readonly resource?: Resource;
  readonly id?: string;
  readonly organization?: Organization | undefined;
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const PAST: Readonly<Record<string, string>> = { submit: 'submitted', leave: 'left', set: 'set' };
/** `publish` is `published`, `pause` is `paused`. */
export const past = (action: string): string => PAST[action] ?? (action.endsWith('e') ? `${action}d` : `${action}ed`);

/** `campaign 12`, or `campaigns` without an id. */
const objectOf = ({ resource, id }: Subject): string =>
  resource === undefined ? (id ?? 'this') : id === undefined ? resource.plural : `${resource.singular} ${id}`.trim();

const inPlace = async ({ organization }: Subject): Promise<string> =>
  organization === undefined ? '' : ` in ${await organization.label()}`;

const listHint = ({ resource, organization }: Subject): string[] => {
  if (resource === undefined) return [];
  return [`mkt ${resource.command} list${organization === undefined ? '' : ` --org ${organization.id}`}`];
};

/** Whether the failed request certainly did not reach the service. */
export const neverReached = (error: unknown): boolean => error instanceof ConnectionError && !error.mayHaveArrived;

/** Retrying a creation may create a second resource, so the user has to check first. Other changes can be retried. */
function checkFirst(error: unknown, subject: Subject): string[] {
  const [list] = listHint(subject);
  if (subject.action !== 'create' || list === undefined || neverReached(error)) return [];
  return [`It may have been created. Check before retrying: ${list}`];
}

const serviceOf = ({ settings }: Context): string => settings.baseUrl?.value ?? 'the service';

/** Where to correct a wrong URL. */
function urlHint({ settings }: Context): string {
  const origin = settings.baseUrl?.origin ?? '';
  return origin.startsWith('profile ') ? 'Check the URL: mkt auth status' : `Check the URL in ${origin}`;
}

/** The hint of errors whose cause `mkt doctor` finds. */
export const DOCTOR = 'To find out why: mkt doctor';
const doctorHint = (context: Context): string => `${DOCTOR}${placeFlags(context)}`;

/** The message in the body, unless the body is an HTML page. */
function serverMessage({ body, status }: HttpError): string {
  const { error, message } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const text = [error, message, body].find(
    (each) => typeof each === 'string' && each.trim() !== '' && !/<\w/.test(each),
  );
  return text === undefined ? `the service responded with ${status}.` : cutTo(sanitizeLine(String(text)), 300);
}

/** The message for the user; `explain` adds status and cause. */
type ErrorMessage = Pick<Details, 'code' | 'exitCode' | 'message' | 'hints' | 'fields'>;

/** 401: the token was rejected, or it may only read. */
async function rejectedToken(error: AuthenticationError, _subject: Subject, context: Context): Promise<ErrorMessage> {
  const base = { code: 'token_rejected', exitCode: exitCodes.authentication };
  const asked = context.settings.baseUrl?.value;
  // A masked token may make the URL invalid.
  const there = URL.canParse(error.url) ? hostOf(error.url) : undefined;
  if (asked !== undefined && there !== undefined && hostOf(asked) !== there)
    return {
      ...base,
      message: `${hostOf(asked)} redirects to ${there}, and your token is sent only to its own host.`,
      hints: [`If that is the right service: mkt login --base-url ${there}`],
    };
  const { tokenOrigin } = await import('../../config/credentials.js');
  const origin = tokenOrigin(context.io, context.settings);
  const from = origin === undefined ? '' : ` (from ${origin})`;
  const ofEnvironment = origin?.startsWith('MKT_') === true;
  if (error.method !== 'GET' && error.method !== 'HEAD') {
    // A 401 to a change means a read-only token where the same token may read (api.md, Authentication rule 7).
    const client = await context.client();
    const mayRead = await client.organizations.list({ signal: context.io.interrupted }).then(
      () => true,
      () => false,
    );
    if (mayRead)
      return {
        ...base,
        code: 'token_read_only',
        message: `Your token${from} is read-only, so it cannot make changes.`,
        hints: [
          ofEnvironment
            ? 'Set a token with write permission, or unset it and run: mkt login'
            : 'Sign in with a token that has write permission: mkt login',
        ],
      };
  }
  return {
    ...base,
    message: `Your token${from} was rejected: it is invalid or has been revoked.`,
    hints: [ofEnvironment ? 'Set another token, or unset it and run: mkt login' : 'To sign in again: mkt login'],
  };
}

/** Whether there is a list of organizations, which every user has. */
async function hasApi(context: Context): Promise<boolean> {
  const client = await context.client();
  return client.organizations.list({ signal: context.io.interrupted }).then(
    () => true,
    (error: unknown) => !(error instanceof NotFoundError || error instanceof ResponseParseError),
  );
}

function noApi(context: Context): ErrorMessage {
  const url = context.settings.requiredBaseUrl;
  const { origin, pathname } = new URL(url);
  const hints = pathname === '/' ? [urlHint(context)] : [`Without its path, the URL is ${origin}. ${urlHint(context)}`];
  return { code: 'not_found', exitCode: exitCodes.notFound, message: `There is no API at ${url}.`, hints };
}

/** 404: of the organization if that is not visible either, else of the resource. */
async function notFound(_error: NotFoundError, subject: Subject, context: Context): Promise<ErrorMessage> {
  const base = { code: 'not_found', exitCode: exitCodes.notFound };
  const { organization, resource } = subject;
  if (organization !== undefined) {
    const client = await context.client();
    const visible = await client.organizations.get(organization.id, { signal: context.io.interrupted }).then(
      () => true,
      (error: unknown) => !(error instanceof NotFoundError),
    );
    if (!visible && !(await hasApi(context))) return noApi(context);
    if (!visible)
      return {
        ...base,
        message: `Organization ${organization.id} was not found, or this token has no access to it.`,
        hints: ['mkt organizations list'],
      };
  }
  if (resource?.singular === 'address')
    return { ...base, message: 'No address is set yet.', hints: ['mkt address set'] };
  // Every user has this list.
  if (organization === undefined && subject.id === undefined) return noApi(context);
  return {
    ...base,
    message: `${capital(objectOf(subject))} was not found${await inPlace(subject)}.`,
    hints: listHint(subject),
  };
}

/** 422: invalid fields, or a rule that concerns no field. */
function invalid(error: ValidationError, subject: Subject): ErrorMessage {
  const { base: _base, ...fields } = error.fieldErrors;
  const count = Object.keys(fields).length;
  const reason = error.messages.map(sanitizeLine).join(' ') || serverMessage(error);
  return {
    code: 'rejected',
    exitCode: exitCodes.rejected,
    fields: count > 0 ? error.fieldErrors : {},
    hints: fields.logo && ['To upload one: --logo FILE'],
    message:
      count > 0
        ? `${count === 1 ? 'One field was' : `${count} fields were`} rejected; nothing was changed.`
        : `Cannot ${subject.action} ${objectOf(subject)}: ${reason}`,
  };
}

/** The API does not redirect reads; a redirect to a sign-in page means that the token was not accepted. */
function redirected(error: HttpError, context: Context): ErrorMessage {
  const location = sanitizeLine(error.headers.get('location') ?? 'nowhere');
  if (/sign_?in|log_?in/i.test(location)) {
    return {
      code: 'token_rejected',
      exitCode: exitCodes.authentication,
      message: `The service did not accept your token: it redirects to its sign-in page (${location}).`,
      hints: ['To sign in again: mkt login'],
    };
  }
  return {
    code: 'unreadable_answer',
    exitCode: exitCodes.unexpected,
    message: `The service sent an unexpected redirect to ${location}.`,
    hints: [urlHint(context)],
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

/** No response: why the connection failed, and what to try. */
export function unreachable(error: Error, subject: Subject, context: Context): ErrorMessage {
  const service = serviceOf(context);
  const codes = codesOf(error);
  const { HTTPS_PROXY, https_proxy, HTTP_PROXY, http_proxy } = context.io.env;
  const proxy =
    HTTPS_PROXY || https_proxy || HTTP_PROXY || http_proxy
      ? ['Check the proxy settings (HTTPS_PROXY, HTTP_PROXY)']
      : [];
  const network = (message: string, ...hints: string[]): ErrorMessage => ({
    code: 'network',
    exitCode: exitCodes.network,
    message,
    hints: [...checkFirst(error, subject), ...hints, doctorHint(context)],
  });
  if (codes.includes('ECONNREFUSED')) return network(`Nothing is listening at ${service}.`, urlHint(context), ...proxy);
  if (codes.includes('ENOTFOUND') || codes.includes('EAI_AGAIN'))
    return network(
      `The host of ${service} was not found.`,
      'Check your network connection',
      urlHint(context),
      ...proxy,
    );
  const certificate = codes.find((code) => /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|ALTNAME/.test(code));
  if (certificate !== undefined)
    return network(
      `The certificate of ${service} is not trusted (${certificate}).`,
      'Behind a company proxy: NODE_EXTRA_CA_CERTS=/path/to/company-ca.pem',
      `Check the clock of this machine. It says ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    );
  const tls = codes.find((code) => /^(EPROTO$|ERR_SSL_)/.test(code));
  if (tls !== undefined) {
    const plain = `On this machine, plain http works too, as mkt serve uses it: ${service.replace('https:', 'http:')}`;
    const hint = URL.canParse(service) && isLoopback(service) ? plain : urlHint(context);
    return network(`${service} does not respond with valid TLS (${tls}).`, hint, ...proxy);
  }
  const reason = reasonOf(error);
  if (/redirect/i.test(reason)) return network(`${service} redirects endlessly.`, urlHint(context));
  return network(`The connection to ${service} failed (${reason}).`, 'Try again later', ...proxy);
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
  row(PermissionError, async (error, subject) => ({
    code: 'forbidden',
    exitCode: exitCodes.forbidden,
    message: `You are not allowed to ${subject.action} ${objectOf(subject)}${await inPlace(subject)}: ${serverMessage(error)}`,
    hints: subject.organization && [`Ask an admin: mkt members list --org ${subject.organization.id} --role admin`],
  })),
  row(NotFoundError, notFound),
  row(ValidationError, invalid),
  row(RateLimitError, ({ retryAfterMs }) => {
    const seconds = retryAfterMs === null ? undefined : Math.ceil(retryAfterMs / 1000);
    const wait = seconds === undefined ? 'a while' : seconds === 1 ? '1 second' : `${seconds} seconds`;
    return {
      code: 'rate_limited',
      exitCode: exitCodes.rateLimited,
      message: 'Too many requests. The service asks you to slow down.',
      hints: [`Wait ${wait}, then try again`],
    };
  }),
  row(ServerError, (error, subject) => ({
    code: 'service_failed',
    exitCode: exitCodes.unexpected,
    message: `The service failed to ${subject.action} ${objectOf(subject)} (${error.status}).`,
    hints: [
      // 503 means that nothing was done.
      ...(error.status === 503 ? [] : checkFirst(error, subject)),
      `Try again later${error.requestId === null ? '' : '; if it keeps failing, report the request id'}`,
    ],
  })),
  row(TransitionError, (error, subject) => ({
    code: 'transition_refused',
    exitCode: exitCodes.rejected,
    message: `${capital(objectOf(subject))} cannot be ${past(subject.action)}: it is ${sanitizeLine(error.from)}.`,
  })),
  row(HttpError, (error, subject, context) =>
    error.status >= 300 && error.status < 400
      ? redirected(error, context)
      : {
          code: 'rejected',
          exitCode: error.status >= 400 && error.status < 500 ? exitCodes.rejected : exitCodes.unexpected,
          message: `Cannot ${subject.action} ${objectOf(subject)}: ${serverMessage(error)}`,
        },
  ),
  row(ResponseParseError, (error, _subject, context) => ({
    code: 'unreadable_answer',
    exitCode: exitCodes.unexpected,
    // A masked token may make the URL invalid, so it is not parsed.
    message: `${error.url.split('/', 3).join('/')} sent a response that is not JSON of the API.`,
    hints: [urlHint(context), 'To see the response: mkt api PATH -i', doctorHint(context)],
  })),
  row(TimeoutError, (error, subject, context) => ({
    code: 'timeout',
    exitCode: exitCodes.network,
    message: `No response from ${serviceOf(context)} within ${error.timeoutMs / 1000} seconds.`,
    hints: [...checkFirst(error, subject), 'To wait longer: --timeout 120', doctorHint(context)],
  })),
  row(ConnectionError, unreachable),
  row(ConfigurationError, (error) => ({
    code: 'usage',
    exitCode: exitCodes.usage,
    // Without the SDK's call: `campaigns.get: ".." is not a valid id.`
    message: error.message.replace(/^\w+\.\w+: /, ''),
  })),
];

const READING = ['list', 'show', 'export', 'use', 'run', 'import'];

/** Ctrl-C ends the wait, but the service may still process the request. */
function stopped(subject: Subject): CliError {
  const { action, resource, id } = subject;
  if (resource === undefined || READING.includes(action)) return interrupted();
  const what = id === undefined ? `the ${resource.singular}` : objectOf(subject);
  return interrupted(`Interrupted: ${what} may have been ${past(action)}.`);
}

/** Converts an error to a message for the user: what happened, and what to do next. */
export async function explain(error: unknown, subject: Subject, context: Context): Promise<unknown> {
  if (error instanceof CliError) return error;
  if (context.io.interrupted.aborted || error instanceof AbortedError) return stopped(subject);
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

/** Runs a call, and explains its errors. */
export async function withErrorContext<Result>(
  context: Context,
  subject: Subject,
  work: () => PromiseLike<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw await explain(error, subject, context);
  }
}
