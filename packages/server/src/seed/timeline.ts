/** Returns the next timestamp of a seed's history. */
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
