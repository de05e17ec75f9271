// What a browser downloads, minified and gzipped, from the built packages.
import { budgets, firstLoad } from '../lib/first-load.mjs';

const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

for (const { what, from, limit, ...options } of budgets) {
  const bytes = await firstLoad(from, options);
  const line = `${what}: ${kilobytes(bytes)} of ${kilobytes(limit)} (min+gzip)\n`;
  if (bytes <= limit) process.stdout.write(line);
  else {
    process.stderr.write(
      `Over its budget: ${what}, ${bytes} of ${limit} bytes (min+gzip). Load less, or raise it in scripts/lib/first-load.mjs.\n`,
    );
    process.exitCode = 1;
  }
}
