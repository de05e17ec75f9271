// Whether `npm ci` accepts the lockfile on every platform: a release without some platform's binary leaves a hole in it.
import { npm } from '../lib/npm.mjs';

process.exitCode = npm(['ci', '--dry-run', '--ignore-scripts']).status ?? 1;
