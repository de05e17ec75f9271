/** A time to the minute, in the time zone of the user (TZ): `2026-11-23 18:40`. @param at in ISO 8601, or in milliseconds */
export function clock(at: string | number): string {
  const time = new Date(at);
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16).replace('T', ' ');
}

/**
 * When something will be, not before it, in the time zone of the user: `at 18:40`, `tomorrow at 06:12`,
 * `on 2026-12-01 at 06:12`. @param ms how long it takes until then
 */
export function upcoming(ms: number, now: Date): string {
  const [date = '', time = ''] = clock(Math.ceil((now.getTime() + ms) / 60_000) * 60_000).split(' ');
  const days = [0, 1].map((add) => clock(new Date(now.getFullYear(), now.getMonth(), now.getDate() + add).getTime()));
  const day = ['', 'tomorrow '][days.findIndex((text) => text.startsWith(date))] ?? `on ${date} `;
  return `${day}at ${time}`;
}

const UNITS = [
  [172_800, 86_400, 'days'],
  [7200, 3600, 'hours'],
  [120, 60, 'minutes'],
] as const;

/** A warning, if the clock of this machine and that of the service differ by more than a minute. @param aheadMs of this one */
export function clockDifference(aheadMs: number): string | undefined {
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  if (seconds <= 60) return undefined;
  const [, size, unit] = UNITS.find(([from]) => seconds >= from) ?? [0, 1, 'seconds'];
  const apart = `${Math.round(seconds / size)} ${unit} ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
  return `This machine is ${apart} the service. The history uses the time of the service.`;
}

/** The time zone of the user: `Europe/Berlin`, `UTC`. */
export const timeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;
