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

/** The time zone of the user: `Europe/Berlin`, `UTC`. */
export const timeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;
