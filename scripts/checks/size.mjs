// What a browser downloads, minified and gzipped, from the built packages.
import { readFileSync } from 'node:fs';
import { budgets, firstLoad } from '../lib/first-load.mjs';

const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

for (const { what, from, limit, pages = [], ...options } of budgets) {
  const bytes = await firstLoad(from, options);
  const line = `${what}: ${kilobytes(bytes)} of ${kilobytes(limit)} (min+gzip)\n`;
  if (bytes <= limit) process.stdout.write(line);
  else {
    process.stderr.write(
      `Over its budget: ${what}, ${bytes} of ${limit} bytes (min+gzip). Load less, or raise it in scripts/lib/first-load.mjs.\n`,
    );
    process.exitCode = 1;
  }
  for (const page of pages.filter((path) => !readFileSync(path, 'utf8').includes(kilobytes(limit)))) {
    process.stderr.write(`${page} does not name the limit of "${what}": ${kilobytes(limit)}.\n`);
    process.exitCode = 1;
  }
}
