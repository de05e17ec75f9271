/** Gives the next moment of a seed's history, an hour after the one before. */
export type Timeline = () => string;

const hour = 3_600_000;

/** Timestamps that count up from 2026-01-05T09:00:00Z, so that the demo data never depends on a clock. */
export const timeline = (): Timeline => {
  let moment = Date.UTC(2026, 0, 5, 9);
  return () => {
    const stamp = `${new Date(moment).toISOString().slice(0, 19)}Z`;
    moment += hour;
    return stamp;
  };
};
