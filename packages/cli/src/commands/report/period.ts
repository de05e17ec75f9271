import { usageError } from '../../errors/cli-error.js';
import { pastTime, timeFrom } from '../../fields/past-time.js';
import type { Borders } from './data.js';

export interface PeriodFlags {
  readonly since?: string;
  readonly until?: string;
  readonly month?: string;
  readonly compare?: boolean;
}

/** The first day of a month, which may be out of range, in the time zone of the user. */
const monthStart = (year: number, month: number): number => new Date(year, month, 1).getTime();

/** The period of a report, which does not end in the future, and with `--compare` the one before. @throws a usage error */
export function periodsOf({ since = '7d', until, month, compare = false }: PeriodFlags, now: Date) {
  const iso = (start: number, end: number): Borders => ({
    since: new Date(start).toISOString(),
    until: new Date(Math.min(end, now.getTime())).toISOString(),
  });
  if (month !== undefined) {
    const [, year = '', number = ''] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(month) ?? [];
    const [y, m] = [Number(year), Number(number) - 1];
    if (year === '') throw usageError(`--month takes a month such as 2026-11, not "${month}".`);
    if (monthStart(y, m) > now.getTime()) throw usageError(`--month ${month} is in the future.`);
    const previous = compare ? iso(monthStart(y, m - 1), monthStart(y, m)) : undefined;
    return { period: iso(monthStart(y, m), monthStart(y, m + 1)), previous };
  }
  const start = pastTime('since', since, now);
  const end = Math.min(until === undefined ? now.getTime() : timeFrom('until', until, now), now.getTime());
  if (end <= start) throw usageError('--until is not after --since.');
  return { period: iso(start, end), previous: compare ? iso(start - (end - start), start) : undefined };
}
