import { version } from '../../../package.json';
import type { Format } from '../../config/format.js';
import type { Context } from '../../context/context.js';
import { CliError, interrupted } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { sanitizeLine } from '../../text/sanitize.js';
import { type Style, styleFor } from '../../text/style.js';
import { wrap } from '../../text/width.js';
import { type Check, ok, type Status, skipped } from './check.js';
import {
  certificatesCheck,
  configFileCheck,
  credentialsFileCheck,
  folderCheck,
  keychainCheck,
  nodeCheck,
  projectCheck,
} from './machine.js';
import { formatCheck, profileCheck, serviceCheck, serviceChecks, tokenCheck, usableSettings } from './service.js';

const FIELDS = ['check', 'status', 'detail', 'try'] as const;

/** Checks everything that a command relies on, prints each result, and fails if one failed. */
export async function doctor(context: Context): Promise<void> {
  const format = formatOf(context);
  const printer = context.printerFor(format);
  // Each line is printed when it is known: a silent service takes a while.
  const asLines = printer.forPeople && context.options.fields === undefined;
  const checks: Check[] = [];
  for await (const check of allChecks(context)) {
    if (context.io.interrupted.aborted) throw interrupted();
    checks.push(check);
    if (asLines) await printer.write(checkLines(context, check));
  }
  if (!asLines) {
    const rows = checks.map(({ exitCode: _ofTheRun, ...row }) => row);
    const columns = FIELDS.map((field) => ({ field, header: field.toUpperCase(), priority: 0 }));
    await printer.rows([rows], { fields: FIELDS, columns });
  }
  const count = (status: Status): number => checks.filter((check) => check.status === status).length;
  const failures = checks.filter(({ status }) => status === 'fail');
  const [first] = failures;
  if (first) {
    const names = failures.map(({ check }) => check).join(', ');
    const rest = count('skipped') > 0 ? `; ${count('skipped')} skipped` : '';
    throw new CliError({
      code: 'doctor',
      exitCode: first.exitCode ?? exitCodes.unexpected,
      message: `${failures.length} of ${checks.length} checks failed: ${names}${rest}.`,
      // As lines, each check has shown its own hints.
      hints: asLines ? [] : first.try,
    });
  }
  if (format !== 'table') return;
  const counts = [
    [count('ok'), 'ok'],
    [count('warn'), count('warn') === 1 ? 'warning' : 'warnings'],
    [count('skipped'), 'skipped'],
  ];
  const parts = counts.flatMap(([number, word]) => (number === 0 ? [] : [`${number} ${word}`]));
  context.note(`${checks.length} checks: ${parts.join(', ')}.`);
}

/** Everything that a command relies on, each check after those that it depends on. */
async function* allChecks(context: Context): AsyncGenerator<Check> {
  const { io, settings } = context;
  const { directory } = settings;
  yield nodeCheck(process.versions.node);
  yield ok('mkt', `${version}, on ${io.platform}`);
  yield folderCheck(directory, io);
  const configFile = configFileCheck(directory, io);
  yield configFile;
  const project = projectCheck(io);
  yield project;
  const broken = { config: configFile.status === 'fail', project: project.status === 'fail' };
  const usable = usableSettings(context, broken);
  yield broken.config ? skipped('profile', `${usable.withoutProfile}`) : profileCheck(context);
  yield formatCheck(usable);
  const keychain = await keychainCheck(io, usable.settings.profile?.storage);
  yield keychain;
  yield credentialsFileCheck(directory, io);
  const service = serviceCheck(usable);
  yield service;
  const url = service.status === 'ok' ? usable.settings.requiredBaseUrl : undefined;
  const locked = keychain.status === 'fail' ? 'the keychain cannot be read' : undefined;
  const { check, token } = await tokenCheck(context, usable, url, locked);
  yield check;
  yield certificatesCheck(io);
  yield* serviceChecks(context, usable, url, token);
}

/** The format that was asked for. One in a settings file counts only if that file can be read. */
function formatOf({ options, settings }: Context): Format {
  if (options.jq !== undefined) return 'json';
  try {
    return settings.format.value;
  } catch (error) {
    if (error instanceof CliError) return options.format ?? 'table';
    throw error;
  }
}

const colours: Readonly<Record<Status, Parameters<Style>[0]>> = {
  ok: 'green',
  warn: 'yellow',
  fail: 'red',
  skipped: 'dim',
};

const STATUS_WIDTH = 9;
const NAME_WIDTH = 18;
const TRY = 'try: ';

/** One check for people: status, name, detail, and below it what to do. */
function checkLines({ io, options }: Context, { check, status, detail, try: hints }: Check): string {
  const style = styleFor(io.stdout, io.env, !options.color);
  const left = STATUS_WIDTH + NAME_WIDTH;
  const width = io.stdout.isTTY ? Math.max(24, io.stdout.columns - left) : Number.POSITIVE_INFINITY;
  const [first = '', ...rest] = wrap(sanitizeLine(detail), width);
  const head = `${style(colours[status], status.padEnd(STATUS_WIDTH))}${check.padEnd(NAME_WIDTH)}${first}`;
  const hintLines = hints.flatMap((hint, index) =>
    wrap(hint, width - TRY.length).map((line, row) =>
      index === 0 && row === 0 ? `${style('dim', TRY)}${line}` : `${' '.repeat(TRY.length)}${line}`,
    ),
  );
  return `${[head, ...[...rest, ...hintLines].map((line) => `${' '.repeat(left)}${line}`)].join('\n')}\n`;
}
