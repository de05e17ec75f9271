/** A time to the minute, in the time zone of the user (TZ): `2026-11-23 18:40`. @param at in ISO 8601, or in milliseconds */
export function clock(at: string | number): string {
  const time = new Date(at);
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16).replace('T', ' ');
}

/** The time zone of the user: `Europe/Berlin`, `UTC`. */
export const timeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;
