// `npm run site` builds the documentation into site/dist. What only the site needs is installed on first use, from site/'s own
// lockfile: it never weighs on anyone else's `npm ci`.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installOnce } from './lib/installed.mjs';

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'));

installOnce('site');
await import('../site/build.mjs');
