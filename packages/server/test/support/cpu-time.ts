/**
 * The least CPU time of several runs, in milliseconds: other processes only make it more. Machines differ, so a test compares
 * two of them.
 */
export async function cpuTime(work: () => unknown, times = 1): Promise<number> {
  const runs: number[] = [];
  for (let run = 0; run < times; run += 1) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    runs.push((user + system) / 1000);
  }
  return Math.min(...runs);
}
