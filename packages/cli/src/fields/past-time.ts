import { countOf, lengths } from '@mkt/server/durations';
import { usageError } from '../errors/cli-error.js';
import { sanitizeLine } from '../text/values.js';

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** What a flag with a time in the past takes, for its description. */
export const PAST_TIMES = 'a date (2026-11-01), yesterday, monday, or an age such as 12h, 7d, 4w, 1mo';

/** The same time of day some months earlier, or on the last day of a shorter month. */
function monthsBefore(now: Date, months: number): number {
  const time = new Date(now);
  time.setMonth(time.getMonth() - months);
  if (time.getDate() !== now.getDate()) time.setDate(0);
  return time.getTime();
}

/**
 * A length of time in milliseconds: `30s`, `10 min`, `1.5h`, `2 days`; `standard` is the unit of a number without one.
 * @throws a usage error
 */
export function duration(flag: string, text: string, standard = ''): number {
  const { count = 0, unit = '' } = countOf(text) ?? {};
  const length = count * (lengths[unit === '' ? standard : unit] ?? 0);
  if (length > 0 && length < 2 ** 31) return length;
  throw usageError(
    (named) => `${named(flag)} takes a length of time, not "${sanitizeLine(text)}".`,
    'Examples: 30s, 10min, 1h, 1d',
  );
}

/** When `today`, `yesterday` or the latest day with the name of a weekday began. */
function namedDay(text: string, now: Date): number | undefined {
  const weekday = WEEKDAYS.indexOf(text);
  const days = { today: 0, yesterday: 1 }[text] ?? (weekday < 0 ? undefined : (now.getDay() - weekday + 7) % 7);
  return days === undefined ? undefined : new Date(now.getFullYear(), now.getMonth(), now.getDate() - days).getTime();
}

/** A date, which begins at midnight, or a time, which may name its zone. */
function writtenTime(text: string): number | undefined {
  const [, date] = /^(\d{4}-\d{2}-\d{2})(?:T\d.*)?$/.exec(text) ?? [];
  // Date.parse reads February 30 as March 2.
  const isDate = date !== undefined && new Date(`${date}Z`).toJSON()?.startsWith(date);
  if (!isDate) return undefined;
  // It reads a date without a time as UTC, and with one as local.
  return Date.parse(text === date ? `${text}T00:00` : text);
}

/**
 * The time that the value of a flag means, in milliseconds: an age (`30m`, `1.5 h`, `7d`, `4wks`, `1mo`, `2 weeks ago`), a day
 * (`yesterday`, `monday`), a date or a time. Days, and times that name no zone, are those of the user's time zone (TZ).
 * @throws a usage error
 */
export function timeFrom(flag: string, text: string, now: Date): number {
  const word = text.trim().toLowerCase();
  const { count, unit = '' } = countOf(word.replace(/ ago$/, '')) ?? {};
  // People mean months more often.
  if (unit === 'm' && count !== undefined && count >= 1 && count <= 12)
    throw usageError((named) => `${named(flag)}: ${word} could be minutes or months: ${count}min or ${count}mo.`);
  const length = unit === 'ms' ? undefined : lengths[unit];
  const time =
    count === undefined
      ? (namedDay(word, now) ?? writtenTime(text.trim()))
      : unit === 'mo' && Number.isInteger(count)
        ? monthsBefore(now, count)
        : now.getTime() - count * (length ?? Number.NaN);
  // Nothing on the service is older, and ISO 8601 cannot write it.
  if (time !== undefined && time >= 0) return time;
  throw usageError(
    (named) => `${named(flag)} takes a date or an age, not "${sanitizeLine(text)}".`,
    'Examples: 2026-11-01, 2026-11-01T09:00:00Z, yesterday, monday, 30min, 12h, 7d, 4w, 1mo',
  );
}

/** As timeFrom. @throws a usage error for a time in the future, too */
export function pastTime(flag: string, text: string, now: Date): number {
  const time = timeFrom(flag, text, now);
  if (time <= now.getTime()) return time;
  throw usageError((named) => `${named(flag)} ${sanitizeLine(text)} is in the future.`);
}
