// `npm run site` builds the documentation into site/dist. What only the site needs is installed on first use, from site/'s own
// lockfile: it never weighs on anyone else's `npm ci`.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installed } from './lib/installed.mjs';
import { npm } from './lib/npm.mjs';

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'));

if (!installed('site')) {
  process.stderr.write('Installing what the site needs (a few seconds, once) ...\n');
  if (npm(['ci', '--ignore-scripts', '--prefix', 'site']).status !== 0) {
    process.stderr.write('error: npm ci in site/ failed; its own message is above.\n');
    process.exit(1);
  }
}
await import('../site/build.mjs');
