/** CPU time of this process, in milliseconds. */
async function cpuTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const attempts = 15;

/**
 * How many times the CPU time of `usual` `work` takes. Machines differ, so the two are compared, and each with its least:
 * a compiler, the collection of garbage or what another test has left only makes it more. Ends when it is below `limit`.
 */
export async function costRatio(work: () => unknown, usual: () => unknown, limit: number): Promise<number> {
  const least = { work: Number.POSITIVE_INFINITY, usual: Number.POSITIVE_INFINITY };
  let ratio = Number.POSITIVE_INFINITY;
  for (let attempt = 0; ratio >= limit && attempt < attempts; attempt += 1) {
    least.work = Math.min(least.work, await cpuTime(work));
    least.usual = Math.min(least.usual, await cpuTime(usual));
    ratio = least.work / least.usual;
  }
  return ratio;
}
