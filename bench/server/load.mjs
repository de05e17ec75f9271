// One measured run of requests against one server.
import autocannon from 'autocannon';

export const list = '/organizations/5/campaigns.json';
export const item = '/organizations/5/campaigns/1.json';

/** Ada of the demo data, who sees everything in organization 5. */
export const headers = { accept: 'application/json', authorization: 'Bearer mkt_demo_ada_write' };

/** What a write sends. */
export const newCampaign = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ campaign: { name: 'Benchmark', cpm_amount: 600, countries: ['US', 'GB'] } }),
  status: 201,
};

/** Changes a row that many times a second until `stop()`: each commit makes the server forget what it has read. */
function committing(server, perSecond) {
  if (!perSecond) return { stop: () => undefined };
  let turn = 0;
  const timer = setInterval(async () => {
    const response = await fetch(`${server.url}/organizations/7.json`, {
      method: 'PATCH',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ organization: { name: `Initech ${turn++}` } }),
    });
    await response.text();
  }, 1000 / perSecond);
  return { stop: () => clearInterval(timer) };
}

/**
 * @param {object} server From `startServer()`.
 * @param {object} target `{ path, method?, headers?, body?, status?, commits? }`; makes `commits` commits a second during the requests.
 * @param {object} amount autocannon's `duration` in seconds, or `amount` of requests; `connections` is 32.
 * @returns requests in a second of the server's CPU time, and of the clock.
 */
export async function load(server, target, amount) {
  const { path, headers: more = {}, status = 200, commits = 0, ...request } = target;
  const before = await server.cost();
  const writer = committing(server, commits);
  const result = await autocannon({
    url: server.url + path,
    connections: 32,
    headers: { ...headers, ...more },
    ...request,
    ...amount,
  });
  writer.stop();
  const after = await server.cost();
  const right = result.statusCodeStats[status]?.count ?? 0;
  const answered = Object.values(result.statusCodeStats).reduce((sum, { count }) => sum + count, 0);
  if (right === 0 || right !== answered || result.errors > 0)
    throw new Error(`${path}: ${answered - right} of ${answered} answers were not ${status}, ${result.errors} failed.`);
  return {
    perCpuSecond: answered / (after.cpuSeconds - before.cpuSeconds),
    perSecond: answered / result.duration,
  };
}
