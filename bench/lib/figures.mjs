// What was measured, as data: a figure is the middle and the ends of what the rounds gave. How one looks is in render.mjs.

export function median(values) {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * @param {number[]} values One of each round.
 * @param {object} [look]
 * @param {number} [look.digits] Decimals, 2 by default.
 * @param {string} [look.unit] What follows the number.
 */
export function figure(values, { digits = 2, unit = '' } = {}) {
  if (values.length === 0 || !values.every(Number.isFinite))
    throw new Error(`Not measurements: ${values.join(', ') || 'none'}.`);
  return { median: median(values), min: Math.min(...values), max: Math.max(...values), digits, unit };
}

/** Each round's value as a part of the same round's base. */
export const parts = (values, base) => values.map((value, round) => value / base[round]);

/** Whether a figure's median keeps a goal, `{ atLeast }` or `{ atMost }`. */
export const keeps = (goal, { median: value }) =>
  goal.atLeast === undefined ? value <= goal.atMost : value >= goal.atLeast;
