export type Timeline = () => string;

/**
 * Increasing timestamps, by default hourly from 2026-01-05T09:00:00Z, so that a seed does not depend on a clock.
 * @param step Milliseconds between two timestamps.
 */
export const timeline = (from = '2026-01-05T09:00:00Z', step = 3_600_000): Timeline => {
  let time = Date.parse(from);
  return () => {
    const timestamp = `${new Date(time).toISOString().slice(0, 19)}Z`;
    time += step;
    return timestamp;
  };
};

/** When an item is created: if that is not given, by `now`, but not after the other times that it has. */
export function creationOf(item: object, now: () => string): string {
  const { created_at, ...others } = item as Readonly<Record<string, unknown>>;
  if (typeof created_at === 'string') return created_at;
  const times = Object.entries(others).filter(([name, time]) => name.endsWith('_at') && /^\d{4}-.*Z$/.test(`${time}`));
  return [now(), ...times.map(([, time]) => `${time}`)].sort()[0] as string;
}
