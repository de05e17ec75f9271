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
import type { Context } from '../../context/context.js';
import { CliError, interrupted } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { sanitizeLine } from '../../text/sanitize.js';
import { connectionProblem, neverReached } from './network.js';
import { invalid, notFound, redirected, rejectedToken, saidBy, type Told } from './refusals.js';
import { capital, inPlace, listHint, objectOf, past, type Subject } from './subject.js';

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
      hints: [
        `Wait ${seconds === undefined ? 'a while' : seconds === 1 ? '1 second' : `${seconds} seconds`}, then repeat`,
      ],
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
        `Repeat in a while${error.requestId === null ? '' : '; if it stays, tell the service the request id'}`,
      ],
    };
  }
  if (error instanceof TransitionError) {
    return {
      code: 'transition_refused',
      exitCode: exitCodes.rejected,
      message: `${capital(objectOf(subject))} cannot be ${past(subject.verb)}: it is ${sanitizeLine(error.from)}.`,
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
      // By its text: where the token is masked in it, the address need be none any more.
      message: `${error.url.split('/', 3).join('/')} answered something that is not the API's JSON.`,
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
    // Which call of the SDK it was means nothing here: `campaigns.get: ".." is no id.`
    return { code: 'usage', exitCode: exitCodes.usage, message: error.message.replace(/^\w+\.\w+: /, '') };
  }
  return undefined;
}

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
