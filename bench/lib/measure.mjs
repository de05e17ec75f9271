// Contenders are measured in turns, in another order each time: a busy moment of the machine meets all of them alike. A
// figure is the median of the rounds, with the lowest and the highest.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

function median(values) {
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

/** Microseconds of CPU time that this process has used. */
export function cpuTime() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/**
 * Runs a program in a fresh process.
 * @param {string} program In which `lap(step)` ends a step.
 * @param {string} cwd Where its imports are looked up.
 * @returns {Promise<Record<string, number>>} Milliseconds of CPU time of each step.
 */
export async function lapsOf(program, cwd) {
  const source = `
    const spans = {};
    let before = process.cpuUsage();
    const lap = (step) => {
      const { user, system } = process.cpuUsage(before);
      spans[step] = (user + system) / 1000;
      before = process.cpuUsage();
    };
    ${program}
    console.log(JSON.stringify(spans));`;
  const { stdout } = await execute(process.execPath, ['--input-type=module', '--eval', source], { cwd });
  return JSON.parse(stdout);
}

/** Each round's value as a part of the same round's base. */
export const parts = (values, base) => values.map((value, round) => value / base[round]);

/** The same items in a random order. */
export const shuffled = (items) =>
  items
    .map((item) => ({ item, at: Math.random() }))
    .sort((left, right) => left.at - right.at)
    .map(({ item }) => item);

/** `{ wall: [1, 2] }` for `[{ wall: 1 }, { wall: 2 }]`; numbers stay a list. */
const byFigure = (results) =>
  typeof results[0] === 'number'
    ? results
    : Object.fromEntries(Object.keys(results[0]).map((name) => [name, results.map((each) => each[name])]));

const eachValue = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));

function middle(results) {
  const figures = byFigure(results);
  return Array.isArray(figures) ? median(figures) : eachValue(figures, median);
}

/**
 * Measures every contender in each round.
 * @param {number} rounds
 * @param {Record<string, T>} contenders By name.
 * @param {(contender: T, name: string) => Promise<R>} measure Gives a number, or several by name.
 * @param {{ warmUp?: number, turns?: number }} [options] Rounds before those that count; how often a round measures each
 *   contender, whose result is the median. Short turns meet the same moments of a busy machine.
 * @returns {Promise<Record<string, number[] | Record<string, number[]>>>} By name, a number for each round, or such a list of
 *   each of several.
 */
export async function inTurns(rounds, contenders, measure, { warmUp = 0, turns = 1 } = {}) {
  const results = eachValue(contenders, () => []);
  for (let round = -warmUp; round < rounds; round += 1) {
    process.stderr.write(round < 0 ? 'warming up\n' : `round ${round + 1} of ${rounds}\n`);
    const taken = eachValue(contenders, () => []);
    for (let turn = 0; turn < turns; turn += 1)
      for (const [name, contender] of shuffled(Object.entries(contenders)))
        taken[name].push(await measure(contender, name));
    if (round >= 0) for (const name of Object.keys(contenders)) results[name].push(middle(taken[name]));
  }
  return eachValue(results, byFigure);
}
