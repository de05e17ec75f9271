import { didYouMean, nearest } from '../text/nearest.js';

/** The exit codes. Scripts rely on them, so their meanings never change. */
export const exitCodes = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  notFound: 3,
  authentication: 4,
  forbidden: 5,
  rejected: 6,
  rateLimited: 7,
  network: 8,
  partial: 9,
  confirmation: 10,
  alert: 11,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The codes of errors, stable words for scripts, each with its exit code. */
export const errorCodes = {
  alert: exitCodes.alert,
  answer_lost: exitCodes.network,
  cancelled: exitCodes.confirmation,
  changed_meanwhile: exitCodes.rejected,
  confirmation_needed: exitCodes.confirmation,
  demo_failed: exitCodes.unexpected,
  doctor: exitCodes.unexpected,
  drift: exitCodes.unexpected,
  editor: exitCodes.unexpected,
  failed: exitCodes.unexpected,
  file: exitCodes.unexpected,
  forbidden: exitCodes.forbidden,
  history: exitCodes.unexpected,
  interrupted: exitCodes.interrupted,
  invalid_file: exitCodes.usage,
  keyring_unavailable: exitCodes.unexpected,
  network: exitCodes.network,
  not_found: exitCodes.notFound,
  not_signed_in: exitCodes.authentication,
  partly_done: exitCodes.partial,
  rate_limited: exitCodes.rateLimited,
  rehearsal_rejected: exitCodes.rejected,
  rejected: exitCodes.rejected,
  report_exists: exitCodes.usage,
  report_in_use: exitCodes.usage,
  serve: exitCodes.usage,
  service_failed: exitCodes.unexpected,
  somebody_else_removed: exitCodes.unexpected,
  timeout: exitCodes.network,
  token_read_only: exitCodes.authentication,
  token_rejected: exitCodes.authentication,
  transition_refused: exitCodes.rejected,
  unexpected: exitCodes.unexpected,
  unreadable_answer: exitCodes.unexpected,
  usage: exitCodes.usage,
} as const satisfies Readonly<Record<string, ExitCode>>;

export type ErrorCode = keyof typeof errorCodes;

/** One line per code, for help and the docs. */
export const exitCodeMeanings: ReadonlyMap<ExitCode, string> = new Map([
  [0, 'success, including an empty list'],
  [1, 'unexpected error, or the service failed (5xx); doctor --drift: differences from the API document'],
  [2, 'invalid usage, or an invalid value found before anything is sent'],
  [3, 'not found, or not visible to this token'],
  [4, 'no token, a rejected token, or a read-only token on a change'],
  [5, 'not allowed for your role'],
  [6, 'rejected by the service: invalid fields, a rule, an impossible change of state'],
  [7, 'too many requests'],
  [8, 'network failure or timeout'],
  [9, 'partly done: only some of several operations succeeded'],
  [10, 'not confirmed: you declined, or there was no terminal for the prompt'],
  [11, 'watch --once: a new alert was raised'],
  [130, 'interrupted with Ctrl-C, SIGTERM or SIGHUP'],
]);

/** How a reader of messages writes flags: `--org`, or the argument of a tool. */
export type FlagStyle = (name: string) => string;

/** A sentence. One that names flags is made where it is shown. */
export type Message = string | ((flag: FlagStyle) => string);

export const messageText = (message: Message, flag: FlagStyle = (name) => `--${name}`): string =>
  typeof message === 'string' ? message : message(flag);

/**
 * What to type next, and what for. `sign_in`: what only the person at this machine can set up. `doctor`, `check_first`: a
 * check that some readers have done already.
 */
export interface TypedHint {
  readonly code: 'command' | 'sign_in' | 'doctor' | 'check_first';
  readonly typed: string;
  readonly purpose: string | undefined;
}

const ofCode =
  (code: TypedHint['code']) =>
  (typed: string, purpose?: string): TypedHint => ({ code, typed, purpose });
export const toType = ofCode('command');
export const signIn = ofCode('sign_in');
export const askDoctor = ofCode('doctor');
export const checkFirst = ofCode('check_first');

/** What to do next: a step in words, or what to type. */
export type Hint = Message | TypedHint;

export const isTyped = (hint: Hint): hint is TypedHint => typeof hint === 'object';

export const hintText = (hint: Hint): string => {
  if (!isTyped(hint)) return messageText(hint);
  return hint.purpose === undefined ? hint.typed : `${hint.purpose}: ${hint.typed}`;
};

/** The first hint of each error, once. */
export const firstHints = (errors: readonly Pick<Details, 'hints'>[]): Hint[] => {
  const hints = errors.flatMap((error) => error.hints?.slice(0, 1) ?? []);
  return [...new Map(hints.map((hint) => [hintText(hint), hint])).values()];
};

export interface Details {
  readonly code: ErrorCode;
  /** Instead of the exit code of `code`. */
  readonly exitCode?: ExitCode | undefined;
  readonly message: Message;
  /** Whether the message names what the request was about: `campaign 12`. */
  readonly namesObject?: boolean;
  /** Most useful first. */
  readonly hints?: readonly Hint[] | undefined;
  /** HTTP status, if there was a response. */
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  /** The same without the names of the fields, for places that show those. */
  readonly reasons?: Readonly<Record<string, readonly Message[]>>;
  /** Shown below the message, one per line; in JSON there are `results` instead. */
  readonly lines?: readonly string[];
  /** The result of each of several operations, in the order given. */
  readonly results?: readonly unknown[];
  /** Only the exit code counts; nothing is printed. */
  readonly silent?: boolean;
  readonly cause?: unknown;
}

/** An error that is shown as it is: what happened, and what to do next. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly details: Details;

  constructor(details: Details) {
    super(messageText(details.message), { cause: details.cause });
    this.details = details;
  }

  get exitCode(): ExitCode {
    return this.details.exitCode ?? errorCodes[this.details.code];
  }
}

export const failure = (code: ErrorCode, message: Message, ...hints: Hint[]): CliError =>
  new CliError({ code, message, hints });

/** An invalid command line, or an invalid value in it. */
export const usageError = (message: Message, ...hints: Hint[]): CliError => failure('usage', message, ...hints);

/** A name that there is not, with the one that was probably meant, or else with a hint. @param sign precedes the name */
export function unknownName(
  sentence: Message,
  word: string,
  known: readonly string[],
  { hint = `Fields: ${known.join(', ')}`, sign = '' } = {},
): CliError {
  const meant = nearest(word, known);
  const question = didYouMean(meant && sign + meant);
  return usageError((flag) => messageText(sentence, flag) + question, ...(meant === undefined ? [hint] : []));
}

/** A file cannot be read or written. */
export const fileError = (message: string, cause: unknown, ...hints: Hint[]): CliError =>
  new CliError({ code: 'file', message, hints, cause });

/** Runs `work` with files. @throws what could not be done, such as `Cannot write FILE`, with the code of the system */
export function usingFiles<Result>(problem: string, work: () => Result, ...hints: Hint[]): Result {
  try {
    return work();
  } catch (cause) {
    throw fileError(`${problem} (${(cause as NodeJS.ErrnoException).code}).`, cause, ...hints);
  }
}

export const interrupted = (message = 'Interrupted.'): CliError => failure('interrupted', message);
