import type { FlagValues } from '../context/command.js';
import type { globalFlags } from '../context/global-flags.js';
import { CliError } from '../errors/cli-error.js';
import { type ExitCode, exitCodes } from '../errors/exit-codes.js';
import { fieldMessage } from '../errors/field-message.js';
import { type Io, isOn } from '../io/io.js';
import { jsonLine } from '../text/json.js';
import { sanitizeLine } from '../text/sanitize.js';
import { styleFor } from '../text/style.js';
import { widthOf, wrap } from '../text/width.js';

interface Situation {
  readonly io: Io;
  /** The global flags; undefined if the line did not parse. */
  readonly global: FlagValues<typeof globalFlags> | undefined;
  /** Whether the command line asks for JSON. What the profile prefers is for data. */
  readonly json: boolean;
}

/** Errors of the file system: the file is named, the reason is in words. */
const fileReasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'there is no such file or folder',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  ENAMETOOLONG: 'the name is too long',
  EDQUOT: 'the disk quota is used up',
};

const fromFileSystem = (error: unknown): CliError | undefined => {
  const { code, path } = error as NodeJS.ErrnoException;
  const reason = code === undefined ? undefined : fileReasons[code];
  if (reason === undefined) return undefined;
  // The name that an export has until it is complete means nothing to anybody.
  const what = path === undefined ? 'Writing failed' : `Cannot use ${path.replace(/\.\d+\.part$/, '')}`;
  return new CliError({ code: 'file', exitCode: exitCodes.unexpected, message: `${what}: ${reason}.`, cause: error });
};

const asCliError = (error: unknown): CliError =>
  error instanceof CliError
    ? error
    : (fromFileSystem(error) ??
      new CliError({
        code: 'unexpected',
        exitCode: exitCodes.unexpected,
        message: `Something unexpected went wrong: ${sanitizeLine(error instanceof Error ? error.message : String(error))}`,
        hints: ['Details: repeat with --debug'],
        cause: error,
      }));

const forPrograms = ({ details, exitCode }: CliError): string =>
  jsonLine({
    error: {
      code: details.code,
      message: details.message,
      status: details.status ?? null,
      request_id: details.requestId ?? null,
      exitCode,
      fields: details.fields ?? {},
      try: details.hints ?? [],
      ...(details.results !== undefined && { results: details.results }),
    },
  });

/** What a hint ends with: a command or flags, ready to be typed. */
const TYPED = /(?:^|: )((?:mkt |--\w).*)$/;

/** Sentences are broken between words. What is to be typed stays whole, so that it can be copied, and begins a line of its own where there is no room. */
function hintLines(hint: string, room: number): string[] {
  if (widthOf(hint) <= room) return [hint];
  const typed = TYPED.exec(hint)?.[1];
  if (typed === undefined) return wrap(hint, room);
  const sentence = hint.slice(0, -typed.length).trimEnd();
  return sentence === '' ? [typed] : [...wrap(sentence, room), typed];
}

function forPeople({ details }: CliError, io: Io, noColor: boolean): string {
  const style = styleFor(io.stderr, io.env, noColor);
  const room = io.stderr.isTTY ? io.stderr.columns : Number.POSITIVE_INFINITY;
  const [first = '', ...more] = wrap(`error: ${details.message}`, room - 2);
  const lines = [
    `${style(['red', 'bold'], 'error:')}${first.slice('error:'.length)}`,
    ...more.map((line) => `  ${line}`),
    ...(details.lines ?? []).flatMap((line) =>
      wrap(line, room - 4).map((part, index) => `${index > 0 ? '    ' : '  '}${part}`),
    ),
  ];
  const fields = Object.entries(details.fields ?? {}).map(
    ([field, messages]) => [sanitizeLine(field), messages.map((message) => fieldMessage(field, message))] as const,
  );
  const widest = Math.max(0, ...fields.map(([field]) => field.length));
  for (const [field, messages] of fields) {
    for (const message of messages) {
      const [head = '', ...rest] = wrap(message, Math.max(20, room - widest - 4));
      lines.push(`  ${field.padEnd(widest)}  ${head}`, ...rest.map((line) => `  ${' '.repeat(widest)}  ${line}`));
    }
  }
  const answer = [
    ...(details.status === undefined ? [] : [String(details.status)]),
    ...(details.requestId === undefined ? [] : [`request ${details.requestId}`]),
  ];
  if (answer.length > 0) lines.push(`  ${style('dim', 'api:')}  ${answer.join(', ')}`);
  const hints = (details.hints ?? []).flatMap((hint) => hintLines(hint, room - '  try:  '.length));
  for (const [index, hint] of hints.entries()) lines.push(`  ${index === 0 ? style('dim', 'try:') : '    '}  ${hint}`);
  return `${lines.join('\n')}\n`;
}

/** Writes the error on stderr and gives the exit code. */
export function report(error: unknown, { io, global = {}, json }: Situation): ExitCode {
  const reported = asCliError(error);
  io.stderr.stream.write(json ? forPrograms(reported) : forPeople(reported, io, global['no-color'] === true));
  if (global.debug === true || isOn(io.env.MKT_DEBUG)) {
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
      io.stderr.stream.write(`${cause.stack ?? cause.message}\n`);
    }
  }
  return reported.exitCode;
}
