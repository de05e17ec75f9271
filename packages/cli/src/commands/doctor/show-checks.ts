import type { Context } from '../../context/context.js';
import { sanitizeLine } from '../../text/sanitize.js';
import { type Style, styleFor } from '../../text/style.js';
import { wrap } from '../../text/width.js';
import type { Check, Status } from './check.js';

const tones: Readonly<Record<Status, Parameters<Style>[0]>> = {
  ok: 'green',
  warn: 'yellow',
  fail: 'red',
  skipped: 'dim',
};

const STATUS = 9;
const NAME = 18;
const TRY = 'try: ';

/** One check as lines for people: status, what, detail, and underneath what mends it. */
export function checkLines({ io, options }: Context, { check, status, detail, try: hints }: Check): string {
  const style = styleFor(io.stdout, io.env, !options.color);
  const room = io.stdout.isTTY ? Math.max(24, io.stdout.columns - STATUS - NAME) : Number.POSITIVE_INFINITY;
  const indent = ' '.repeat(STATUS + NAME);
  const [first = '', ...rest] = wrap(sanitizeLine(detail), room);
  const head = `${style(tones[status], status.padEnd(STATUS))}${check.padEnd(NAME)}${first}`;
  const more = hints.flatMap((hint, index) => {
    const [begin = '', ...on] = wrap(hint, room - TRY.length);
    const label = index === 0 ? style('dim', TRY) : ' '.repeat(TRY.length);
    return [`${label}${begin}`, ...on.map((line) => `${' '.repeat(TRY.length)}${line}`)];
  });
  return `${[head, ...[...rest, ...more].map((line) => `${indent}${line}`)].join('\n')}\n`;
}
