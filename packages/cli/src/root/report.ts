import { getSystemErrorMap } from 'node:util';
import type { Flag, GlobalOptions } from '../context/flags.js';
import { CliError, type ExitCode, type Hint, hintText, isTyped, messageText } from '../errors/cli-error.js';
import { type Io, isOn } from '../io/io.js';
import { styleFor } from '../text/style.js';
import { jsonLine, sanitizeLine } from '../text/values.js';
import { widthOf, wrap } from '../text/width.js';

interface Situation {
  readonly io: Io;
  /** The global flags; undefined if the line did not parse. */
  readonly global: GlobalOptions | undefined;
  /** Whether the command line asks for JSON. The format of the profile applies only to data. */
  readonly json: boolean;
  /** The flags of the command, whose names stand for those of the API. */
  readonly flags?: readonly Flag[];
}

const FILE_SYSTEM = /^E(?:IO|NOSPC|ROFS|ACCES|PERM|NOENT|ISDIR|NOTDIR|NAMETOOLONG|DQUOT)$/;

function asCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  const { code = '', errno = 0, path, message = String(error) } = error as Partial<NodeJS.ErrnoException>;
  if (FILE_SYSTEM.test(code)) {
    // An export has a temporary name until it is complete.
    const what = path === undefined ? 'Cannot write the output' : `Cannot use ${path.replace(/\.\d+\.part$/, '')}`;
    const reason = getSystemErrorMap().get(errno)?.[1] ?? code;
    return new CliError({ code: 'file', message: `${what}: ${reason}.`, cause: error });
  }
  return new CliError({
    code: 'unexpected',
    message: `Unexpected error: ${sanitizeLine(message)}`,
    hints: ['For details, run it again with --debug'],
    cause: error,
  });
}

const jsonError = ({ details, exitCode, message }: CliError): string =>
  jsonLine({
    error: {
      code: details.code,
      message,
      status: details.status ?? null,
      request_id: details.requestId ?? null,
      exitCode,
      fields: details.fields ?? {},
      try: (details.hints ?? []).map(hintText),
      ...(details.results !== undefined && { results: details.results }),
    },
  });

/** Sentences are wrapped. What is typed stays whole, so that it can be copied. */
function hintLines(hint: Hint, room: number): string[] {
  const text = hintText(hint);
  if (widthOf(text) <= room) return [text];
  if (!isTyped(hint)) return wrap(text, room);
  return hint.purpose === undefined ? [hint.typed] : [...wrap(`${hint.purpose}:`, room), hint.typed];
}

function textError({ details, message }: CliError, { io, global, flags = [] }: Situation): string {
  const noColor = global?.['no-color'] === true;
  const style = styleFor(io.stderr, io.env, noColor);
  const room = io.stderr.isTTY ? io.stderr.columns : Number.POSITIVE_INFINITY;
  const [first = '', ...more] = wrap(`error: ${message}`, room - 2);
  const lines = [
    `${style(['red', 'bold'], 'error:')}${first.slice('error:'.length)}`,
    ...more.map((line) => `  ${line}`),
    ...(details.lines ?? []).map((line) => `  ${wrap(line, room - 4).join('\n    ')}`),
  ];
  const names = new Map(flags.flatMap(({ name, field }) => (field === undefined ? [] : [[field, `--${name}`]])));
  const named = (field: string) => names.get(field) ?? field;
  const fields = Object.entries(details.reasons ?? details.fields ?? {}).map(([field, messages]) => {
    const texts = messages.map((message) => sanitizeLine(messageText(message, named)));
    return [sanitizeLine(named(field)), texts] as const;
  });
  const widest = Math.max(0, ...fields.map(([field]) => field.length));
  for (const [field, messages] of fields) {
    for (const message of messages) {
      const [head = '', ...rest] = wrap(message, Math.max(20, room - widest - 4));
      lines.push(`  ${field.padEnd(widest)}  ${head}`, ...rest.map((line) => `  ${' '.repeat(widest)}  ${line}`));
    }
  }
  const response = [details.status, details.requestId && `request ${details.requestId}`].filter(Boolean);
  if (response.length > 0) lines.push(`  ${style('dim', 'api:')}  ${response.join(', ')}`);
  const hints = (details.hints ?? []).flatMap((hint) => hintLines(hint, room - '  try:  '.length));
  for (const [index, hint] of hints.entries()) lines.push(`  ${index === 0 ? style('dim', 'try:') : '    '}  ${hint}`);
  return `${lines.join('\n')}\n`;
}

/** Writes the error to stderr and returns the exit code. */
export function report(error: unknown, situation: Situation): ExitCode {
  const { io, global = {}, json } = situation;
  const reported = asCliError(error);
  io.failed?.(reported);
  if (reported.details.silent === true || io.failed !== undefined) return reported.exitCode;
  io.stderr.stream.write(json ? jsonError(reported) : textError(reported, situation));
  if (global.debug === true || isOn(io.env.MKT_DEBUG)) {
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
      io.stderr.stream.write(`${cause.stack ?? cause.message}\n`);
    }
  }
  return reported.exitCode;
}
