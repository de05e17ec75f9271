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
import { type ErrorMessage, invalid, notFound, redirected, rejectedToken, serverMessage } from './responses.js';
import { capital, inPlace, listHint, objectOf, past, type Subject } from './subject.js';

/** A second creation makes a second resource, so the first has to be looked for. Every other change may be repeated. */
function checkFirst(error: unknown, subject: Subject): string[] {
  const [list] = listHint(subject);
  if (subject.verb !== 'create' || list === undefined || neverReached(error)) return [];
  return [`It may have been created. Check before retrying: ${list}`];
}

const READING = ['list', 'show', 'export', 'use', 'run', 'import'];

/** Ctrl-C ends the waiting; a request that was sent goes on. */
function stopped(subject: Subject): CliError {
  const { verb, resource, id } = subject;
  if (resource === undefined || READING.includes(verb)) return interrupted();
  const what = id === undefined ? `the ${resource.noun}` : objectOf(subject);
  return interrupted(`Interrupted: ${what} may have been ${past(verb)}.`);
}

const serviceOf = ({ settings }: Context): string => settings.baseUrl?.value ?? 'the service';

type Explanation<Kind> = (error: Kind, subject: Subject, context: Context) => ErrorMessage | Promise<ErrorMessage>;
type Row = readonly [kind: abstract new (...args: never[]) => Error, explanation: Explanation<Error>];

const row = <Kind extends Error>(
  kind: abstract new (...args: never[]) => Kind,
  explanation: Explanation<Kind>,
  // The table is searched with instanceof, so a row gets errors of its own class only.
): Row => [kind, explanation as Explanation<Error>];

/** What each class of error means. The first match counts: classes of one status come before HttpError. */
const table: readonly Row[] = [
  row(AuthenticationError, (error, _subject, context) => rejectedToken(error, context)),
  row(PermissionError, async (error, subject) => ({
    code: 'forbidden',
    exitCode: exitCodes.forbidden,
    message: `You may not ${subject.verb} ${objectOf(subject)}${await inPlace(subject)}: ${serverMessage(error)}`,
    hints: subject.organization && [`Who may: mkt members list --org ${subject.organization.id} --role admin`],
  })),
  row(NotFoundError, (_error, subject, context) => notFound(subject, context)),
  row(ValidationError, invalid),
  row(RateLimitError, ({ retryAfterMs }) => {
    const seconds = retryAfterMs === null ? undefined : Math.ceil(retryAfterMs / 1000);
    const wait = seconds === undefined ? 'a while' : seconds === 1 ? '1 second' : `${seconds} seconds`;
    return {
      code: 'rate_limited',
      exitCode: exitCodes.rateLimited,
      message: 'Too many requests: the service asks to slow down.',
      hints: [`Wait ${wait}, then repeat`],
    };
  }),
  row(ServerError, (error, subject) => ({
    code: 'service_failed',
    exitCode: exitCodes.unexpected,
    message: `The service failed to ${subject.verb} ${objectOf(subject)} (${error.status}).`,
    hints: [
      // 503 says that nothing was done.
      ...(error.status === 503 ? [] : checkFirst(error, subject)),
      `Repeat in a while${error.requestId === null ? '' : '; if it stays, tell the service the request id'}`,
    ],
  })),
  row(TransitionError, (error, subject) => ({
    code: 'transition_refused',
    exitCode: exitCodes.rejected,
    message: `${capital(objectOf(subject))} cannot be ${past(subject.verb)}: it is ${sanitizeLine(error.from)}.`,
  })),
  row(HttpError, (error, subject) =>
    error.status >= 300 && error.status < 400
      ? redirected(error)
      : {
          code: 'rejected',
          exitCode: error.status >= 400 && error.status < 500 ? exitCodes.rejected : exitCodes.unexpected,
          message: `The service refused to ${subject.verb} ${objectOf(subject)}: ${serverMessage(error)}`,
        },
  ),
  row(ResponseParseError, (error) => ({
    code: 'unreadable_answer',
    exitCode: exitCodes.unexpected,
    // Not URL: where the token is masked in it, it may not parse.
    message: `${error.url.split('/', 3).join('/')} answered something that is not the API's JSON.`,
    hints: ['Check the address: mkt auth status', 'See the answer: mkt api PATH -i'],
  })),
  row(TimeoutError, (error, subject, context) => ({
    code: 'timeout',
    exitCode: exitCodes.network,
    message: `No answer from ${serviceOf(context)} within ${error.timeoutMs / 1000} seconds.`,
    hints: [...checkFirst(error, subject), 'Wait longer: --timeout 120'],
  })),
  row(ConnectionError, (error, subject, context) => {
    const { message, hints } = connectionProblem(error, serviceOf(context), context.io.env);
    return { code: 'network', exitCode: exitCodes.network, message, hints: [...checkFirst(error, subject), ...hints] };
  }),
  row(ConfigurationError, (error) => ({
    code: 'usage',
    exitCode: exitCodes.usage,
    // Without the SDK's call: `campaigns.get: ".." is no id.`
    message: error.message.replace(/^\w+\.\w+: /, ''),
  })),
];

/** The error as a person understands it: what happened, to what, what to do next. */
export async function explain(error: unknown, subject: Subject, context: Context): Promise<unknown> {
  if (error instanceof CliError) return error;
  if (context.io.interrupted.aborted || error instanceof AbortedError) return stopped(subject);
  const found = table.find(([kind]) => error instanceof kind);
  if (found === undefined || !(error instanceof Error)) return error;
  const message = await found[1](error, subject, context);
  const answer = error instanceof HttpError || error instanceof ResponseParseError ? error : undefined;
  return new CliError({
    ...message,
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
