// What a browser downloads, minified and gzipped, from the built packages.
import { budgets, firstLoad } from '../lib/first-load.mjs';

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
