// One measured run of requests against one address.
import autocannon from 'autocannon';

/** Ada of the demo data, who sees everything in organization 5. */
export const headers = { accept: 'application/json', authorization: 'Bearer mkt_demo_ada_write' };

/**
 * @param {object} server From `startServer()`.
 * @param {object} target `{ path, headers?, status? }`.
 * @param {object} amount autocannon's `duration` in seconds, or `amount` of requests; `connections` is 32.
 * @returns requests in a second of the server's CPU time, and of the clock.
 */
export async function load(server, { path, headers: more = {}, status = 200 }, amount) {
  const before = await server.cost();
  const result = await autocannon({
    url: server.url + path,
    connections: 32,
    headers: { ...headers, ...more },
    ...amount,
  });
  const after = await server.cost();
  const right = result.statusCodeStats[status]?.count ?? 0;
  const answered = Object.values(result.statusCodeStats).reduce((sum, { count }) => sum + count, 0);
  if (right === 0 || right !== answered || result.errors > 0)
    throw new Error(`${path}: ${answered - right} of ${answered} answers were not ${status}, ${result.errors} failed.`);
  return {
    perCpuSecond: answered / (after.cpuSeconds - before.cpuSeconds),
    perSecond: answered / result.duration,
    p50: result.latency.p50,
  };
}
