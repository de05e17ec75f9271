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
import type { Context, Organization } from '../context.js';
import { sanitizeLine } from '../output/sanitize.js';
import { cutTo } from '../output/width.js';
import type { Resource } from '../resources/resource.js';
import { CliError, interrupted } from './cli-error.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { connectionProblem, neverReached } from './network.js';

/** What was being done, for the sentence: `publish campaign 12`. */
export interface Subject {
  readonly verb: string;
  readonly resource?: Resource;
  readonly id?: string;
  readonly organization?: Organization | undefined;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `campaign 12`, or `campaigns` where no single one is meant. */
const objectOf = ({ resource, id }: Subject): string =>
  resource === undefined ? (id ?? 'this') : id === undefined ? resource.plural : `${resource.noun} ${id}`.trim();

const inPlace = async ({ organization }: Subject): Promise<string> =>
  organization === undefined ? '' : ` in ${await organization.label()}`;

const listHint = ({ resource, organization }: Subject): string[] => {
  if (resource === undefined) return [];
  return [`mkt ${resource.command} list${organization === undefined ? '' : ` --org ${organization.id}`}`];
};

/** What the service itself said, where its body is a sentence and not a page. */
function saidBy(error: HttpError): string {
  const { body } = error;
  const { error: reason, message } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const text = [reason, message, body].find(
    (each) => typeof each === 'string' && each.trim() !== '' && !/<\w/.test(each),
  );
  return text === undefined ? `it answered ${error.status}.` : cutTo(sanitizeLine(String(text)), 300);
}

/**
 * What to do before a creation is repeated whose answer did not come: a second one makes a second thing (D48). Every
 * other change may simply be repeated.
 */
function unlessDone(error: unknown, subject: Subject): string[] {
  const [list] = listHint(subject);
  if (subject.verb !== 'create' || list === undefined || neverReached(error)) return [];
  return [`It may be created all the same. Look first: ${list}`];
}

const READING = ['list', 'show', 'export', 'use', 'run', 'import'];

/** Ctrl-C ends the waiting. What was sent goes on. */
function stopped(subject: Subject): CliError {
  const { verb, resource, id } = subject;
  if (resource === undefined || READING.includes(verb)) return interrupted();
  const what = id === undefined ? `the ${resource.noun}` : objectOf(subject);
  return interrupted(`Interrupted: ${what} may be ${past(verb)} all the same.`);
}

interface Told {
  readonly code: string;
  readonly exitCode: ExitCode;
  readonly message: string;
  readonly hints?: readonly string[];
  readonly fields?: Readonly<Record<string, readonly string[]>>;
}

async function rejectedToken(error: AuthenticationError, context: Context): Promise<Told> {
  const base = { code: 'token_rejected', exitCode: exitCodes.authentication };
  const { tokenOrigin } = await import('../credentials/token.js');
  const origin = tokenOrigin(context.io, context.settings);
  const from = origin === undefined ? '' : ` (from ${origin})`;
  if (error.method !== 'GET' && error.method !== 'HEAD' && (await mayRead(context))) {
    return {
      ...base,
      code: 'token_read_only',
      message: `Your token${from} is read-only: it may look, not change anything.`,
      hints: ['Sign in with a token whose permission is write: mkt login'],
    };
  }
  return {
    ...base,
    message: `Your token${from} was rejected: it is wrong, or it was revoked.`,
    hints: [
      origin?.startsWith('MKT_') ? 'Set another one, or unset it and use: mkt login' : 'To sign in again: mkt login',
    ],
  };
}

/** A 401 to a change means a read-only token where the same token may look (api.md, Authentication rule 7). */
async function mayRead(context: Context): Promise<boolean> {
  try {
    const client = await context.client();
    await client.organizations.list({ signal: context.io.interrupted });
    return true;
  } catch (error) {
    if (error instanceof MarketplaceError) return false;
    throw error;
  }
}

async function notFound(subject: Subject, context: Context): Promise<Told> {
  const base = { code: 'not_found', exitCode: exitCodes.notFound };
  const { organization, resource } = subject;
  if (organization !== undefined && !(await isVisible(organization, context))) {
    return {
      ...base,
      message: `Organization ${organization.id} was not found, or this token does not see it.`,
      hints: ['mkt organizations list'],
    };
  }
  if (resource?.noun === 'address') {
    return { ...base, message: 'No address is set yet.', hints: ['mkt address set'] };
  }
  return {
    ...base,
    message: `${capital(objectOf(subject))} was not found${await inPlace(subject)}.`,
    hints: listHint(subject),
  };
}

async function isVisible(organization: Organization, context: Context): Promise<boolean> {
  try {
    const client = await context.client();
    await client.organizations.get(organization.id, { signal: context.io.interrupted });
    return true;
  } catch (error) {
    return !(error instanceof NotFoundError);
  }
}

const countOf = (count: number): string => (count === 1 ? 'One field was' : `${count} fields were`);

async function invalid(error: ValidationError, subject: Subject): Promise<Told> {
  const told = { code: 'rejected', exitCode: exitCodes.rejected, fields: error.fieldErrors };
  const own = Object.keys(error.fieldErrors).filter((field) => field !== 'base');
  if (own.length > 0) return { ...told, message: `${countOf(own.length)} rejected; nothing was changed.` };
  const reason = error.messages.map(sanitizeLine).join(' ') || saidBy(error);
  const { base: _base, ...fields } = error.fieldErrors;
  return { ...told, fields, message: `The service refused to ${subject.verb} ${objectOf(subject)}: ${reason}` };
}

/** The API answers shows and lists without redirects; one to a sign-in page means that the token does not count (D40). */
function redirected(error: HttpError): Told {
  const location = sanitizeLine(error.headers.get('location') ?? 'nowhere');
  if (/sign_?in|log_?in/i.test(location)) {
    return {
      code: 'token_rejected',
      exitCode: exitCodes.authentication,
      message: `The service asks to sign in (it redirects to ${location}): your token was not taken.`,
      hints: ['To sign in again: mkt login'],
    };
  }
  return {
    code: 'unreadable_answer',
    exitCode: exitCodes.unexpected,
    message: `The service redirects to ${location} where an answer is due.`,
    hints: ['Is the address right? mkt auth status'],
  };
}

async function told(error: unknown, subject: Subject, context: Context): Promise<Told | undefined> {
  if (error instanceof AuthenticationError) return rejectedToken(error, context);
  if (error instanceof PermissionError) {
    const { organization } = subject;
    return {
      code: 'forbidden',
      exitCode: exitCodes.forbidden,
      message: `You may not ${subject.verb} ${objectOf(subject)}${await inPlace(subject)}: ${saidBy(error)}`,
      ...(organization !== undefined && { hints: [`Who may: mkt members list --org ${organization.id} --role admin`] }),
    };
  }
  if (error instanceof NotFoundError) return notFound(subject, context);
  if (error instanceof ValidationError) return invalid(error, subject);
  if (error instanceof RateLimitError) {
    const seconds = error.retryAfterMs === null ? undefined : Math.ceil(error.retryAfterMs / 1000);
    return {
      code: 'rate_limited',
      exitCode: exitCodes.rateLimited,
      message: 'Too many requests: the service asks to slow down.',
      hints: [seconds === undefined ? 'Wait a while, then repeat' : `Wait ${seconds} seconds, then repeat`],
    };
  }
  if (error instanceof ServerError) {
    return {
      code: 'service_failed',
      exitCode: exitCodes.unexpected,
      message: `The service failed to ${subject.verb} ${objectOf(subject)} (${error.status}).`,
      hints: [
        // 503 says that nothing was done.
        ...(error.status === 503 ? [] : unlessDone(error, subject)),
        'Repeat in a while; if it stays, tell the service the request id',
      ],
    };
  }
  if (error instanceof TransitionError) {
    return {
      code: 'transition_refused',
      exitCode: exitCodes.rejected,
      message: `${capital(objectOf(subject))} cannot ${subject.verb === 'submit' ? 'be submitted' : `be ${past(subject.verb)}`}: it is ${sanitizeLine(error.from)}.`,
    };
  }
  if (error instanceof HttpError && error.status >= 300 && error.status < 400) return redirected(error);
  if (error instanceof HttpError) {
    return {
      code: 'rejected',
      exitCode: error.status >= 400 && error.status < 500 ? exitCodes.rejected : exitCodes.unexpected,
      message: `The service refused to ${subject.verb} ${objectOf(subject)}: ${saidBy(error)}`,
    };
  }
  if (error instanceof ResponseParseError) {
    return {
      code: 'unreadable_answer',
      exitCode: exitCodes.unexpected,
      message: `${new URL(error.url).origin} answered something that is not the API's JSON.`,
      hints: ['Check the address: mkt auth status', 'See the answer: mkt api PATH -i'],
    };
  }
  if (error instanceof TimeoutError) {
    return {
      code: 'timeout',
      exitCode: exitCodes.network,
      message: `No answer from ${context.settings.baseUrl?.value ?? 'the service'} within ${error.timeoutMs / 1000} seconds.`,
      hints: [...unlessDone(error, subject), 'Wait longer: --timeout 120'],
    };
  }
  if (error instanceof ConnectionError) {
    const { message, hints } = connectionProblem(
      error,
      context.settings.baseUrl?.value ?? 'the service',
      context.io.env,
    );
    return { code: 'network', exitCode: exitCodes.network, message, hints: [...unlessDone(error, subject), ...hints] };
  }
  if (error instanceof ConfigurationError) {
    return { code: 'usage', exitCode: exitCodes.usage, message: error.message };
  }
  return undefined;
}

const PAST: Readonly<Record<string, string>> = { submit: 'submitted', leave: 'left', set: 'set' };
/** `publish` is `published`, `pause` is `paused`. */
const past = (verb: string): string => PAST[verb] ?? (verb.endsWith('e') ? `${verb}d` : `${verb}ed`);

/** The error as a person understands it: what happened, to what, what to do next. */
export async function explain(error: unknown, subject: Subject, context: Context): Promise<unknown> {
  if (error instanceof CliError) return error;
  if (context.io.interrupted.aborted || error instanceof AbortedError) return stopped(subject);
  const said = await told(error, subject, context);
  if (said === undefined) return error;
  const answer = error instanceof HttpError || error instanceof ResponseParseError ? error : undefined;
  return new CliError({
    ...said,
    cause: error,
    ...(answer !== undefined && {
      status: answer.status,
      ...(answer.requestId !== null && { requestId: sanitizeLine(answer.requestId) }),
    }),
  });
}

/** Runs a call and explains what goes wrong in it. */
export async function explained<Result>(
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
