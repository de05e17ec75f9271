/** Gives the next moment of a seed's history. */
export type Timeline = () => string;

/**
 * Timestamps that count up, by default hourly from 2026-01-05T09:00:00Z: a seed never depends on a clock.
 * @param step Milliseconds from one to the next.
 */
export const timeline = (from = '2026-01-05T09:00:00Z', step = 3_600_000): Timeline => {
  let moment = Date.parse(from);
  return () => {
    const stamp = `${new Date(moment).toISOString().slice(0, 19)}Z`;
    moment += step;
    return stamp;
  };
};
