// What a browser downloads, minified and gzipped, from the built packages.
import { firstLoad } from '../lib/first-load.mjs';

const budgets = [
  { what: 'SDK, everything that a browser loads', from: '@mkt/sdk', limit: 26_000 },
  { what: 'SDK, options for TanStack Query', from: '@mkt/sdk/query', limit: 1_500 },
  {
    what: 'mock for MSW, first chunk, without msw',
    from: '@mkt/mock-server',
    limit: 60_000,
    external: ['msw', 'msw/*'],
  },
  { what: 'panel of the mock', from: '@mkt/mock-server/panel', limit: 20_000 },
  { what: 'mock without MSW, first chunk', from: '@mkt/mock-server/fetch', limit: 70_000 },
];

const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

for (const budget of budgets) {
  const bytes = await firstLoad(budget.from, budget).catch((error) => {
    process.stderr.write(`${budget.what} does not bundle for a browser:\n${error.message}\n`);
    return Number.NaN;
  });
  const line = `${budget.what}: ${kilobytes(bytes)} of ${kilobytes(budget.limit)} (min+gzip)`;
  if (bytes <= budget.limit) process.stdout.write(`${line}\n`);
  else {
    if (!Number.isNaN(bytes)) process.stderr.write(`Over its budget: ${line}\n`);
    process.exitCode = 1;
  }
}
