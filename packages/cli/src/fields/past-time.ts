import { usageError } from '../errors/cli-error.js';
import { sanitizeLine } from '../text/sanitize.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Written-out units, as in `2 weeks ago`. */
const WORDS: Readonly<Record<string, string>> = { minute: 'min', hour: 'h', day: 'd', week: 'w', month: 'mo' };
const UNITS: Readonly<Record<string, number>> = { m: MINUTE, min: MINUTE, h: 60 * MINUTE, d: DAY, w: 7 * DAY };
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** What a flag with a time in the past takes, for its description. */
export const PAST_TIMES = 'a date (2026-11-01, in UTC), yesterday, monday, or an age such as 12h, 7d, 4w, 1mo';

/** The same day some months earlier, or the last day of a shorter month. */
function monthsBefore(now: Date, months: number): number {
  const time = new Date(now);
  time.setUTCMonth(time.getUTCMonth() - months);
  if (time.getUTCDate() !== now.getUTCDate()) time.setUTCDate(0);
  return time.getTime();
}

/** A length of time in milliseconds: `30s`, `10m` or `10min`, `1h`, `1d`. @throws a usage error */
export function duration(flag: string, text: string): number {
  const [, digits, unit = ''] = /^(\d{1,6})(s|m|min|h|d|w)$/.exec(text.trim().toLowerCase()) ?? [];
  const length = Number(digits) * (unit === 's' ? 1000 : (UNITS[unit] ?? 0));
  if (digits !== undefined && length > 0 && length < 2 ** 31) return length;
  throw usageError(`--${flag} takes a length of time, not "${sanitizeLine(text)}".`, 'Examples: 30s, 10min, 1h, 1d');
}

/** Midnight in UTC of `today`, `yesterday` or the latest day with the name of a weekday. */
function namedDay(text: string, now: Date): number | undefined {
  const midnight = Math.floor(now.getTime() / DAY) * DAY;
  if (text === 'today') return midnight;
  if (text === 'yesterday') return midnight - DAY;
  const weekday = WEEKDAYS.indexOf(text);
  return weekday < 0 ? undefined : midnight - ((now.getUTCDay() - weekday + 7) % 7) * DAY;
}

/**
 * The time in the past that the value of a flag means, in milliseconds: an age (`30m`, `12h`, `7d`, `4w`, `1mo`, `2 weeks ago`), a day
 * (`yesterday`, `monday`) or a date, which begins at midnight UTC. @throws a usage error
 */
export function pastTime(flag: string, text: string, now: Date): number {
  const word = text.trim().toLowerCase();
  const [, digits, short, long = ''] =
    /^(\d+) ?(?:(m|min|h|d|w|mo)|(minute|hour|day|week|month)s?)(?: ago)?$/.exec(word) ?? [];
  const unit = short ?? WORDS[long] ?? '';
  const count = Number(digits);
  // People mean months more often.
  if (unit === 'm' && count >= 1 && count <= 12)
    throw usageError(`--${flag}: ${word} could be minutes or months: ${count}min or ${count}mo.`);
  const time =
    digits === undefined
      ? namedDay(word, now)
      : unit === 'mo'
        ? monthsBefore(now, count)
        : now.getTime() - count * (UNITS[unit] ?? 0);
  if (time !== undefined && !Number.isNaN(new Date(time).getTime())) return time;
  const written = Date.parse(text);
  // Date.parse also accepts `7`, and February 30 as March 2.
  const [, date] = /^(\d{4}-\d{2}-\d{2})(?:T.+(?:Z|[+-]\d{2}:\d{2}))?$/.exec(text) ?? [];
  if (date !== undefined && !Number.isNaN(written) && new Date(date).toISOString().startsWith(date)) return written;
  throw usageError(
    `--${flag} takes a date or an age, not "${sanitizeLine(text)}".`,
    `Examples: 2026-11-01, 2026-11-01T09:00:00Z, yesterday, monday, 30min, 12h, 7d, 4w, 1mo`,
  );
}
