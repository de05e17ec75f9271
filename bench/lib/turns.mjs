// Contenders take turns, in another order each time: a busy moment of the machine meets all of them alike.

/** The same items in a random order. */
export function shuffled(items) {
  const mixed = [...items];
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1));
    [mixed[last], mixed[other]] = [mixed[other], mixed[last]];
  }
  return mixed;
}

/**
 * Measures every contender once a round.
 * @param {number} rounds
 * @param {Record<string, T>} contenders By name.
 * @param {(contender: T, name: string) => Promise<R>} measure
 * @param {{ warmUp?: number }} [options] Rounds before those that count.
 * @returns {Promise<Record<string, R[]>>} What was measured, by name, a result for each round.
 */
export async function inTurns(rounds, contenders, measure, { warmUp = 0 } = {}) {
  const results = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let round = -warmUp; round < rounds; round += 1) {
    process.stderr.write(round < 0 ? 'warming up\n' : `round ${round + 1} of ${rounds}\n`);
    for (const [name, contender] of shuffled(Object.entries(contenders))) {
      const result = await measure(contender, name);
      if (round >= 0) results[name].push(result);
    }
  }
  return results;
}
