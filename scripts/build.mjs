// Builds the packages whose sources changed since their last build, all at once: those named on the command line (`cli`),
// else every one. `--no-dts` leaves out declarations, which are most of the time and which nothing that runs needs.
import { execFile } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { hashOfInputs, isFresh, manifests, writeStamp } from './lib/builds.mjs';
import { npm } from './lib/npm.mjs';

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'));
const wanted = process.argv.includes('--no-dts') ? 'js' : 'all';
const tsup = createRequire(import.meta.url).resolve('tsup/dist/cli-default.js');
const execute = promisify(execFile);

/** Builds next to `dist` and swaps at the end: a failed build leaves the last good one, and a partial build is never used. */
async function build(folder, hash) {
  const next = `dist.${process.pid}`;
  const options = { cwd: `packages/${folder}`, env: { ...process.env, MKT_BUILD: wanted }, maxBuffer: 2 ** 26 };
  const command = [tsup, '--silent', '--out-dir', next];
  const { code = 0, stdout, stderr } = await execute(process.execPath, command, options).catch((error) => error);
  const from = `packages/${folder}/${next}`;
  const to = `packages/${folder}/dist`;
  if (code === 0) {
    // Renaming is fast, removing is not: a program that runs meanwhile finds the old build or the new one.
    const old = `${from}.old`;
    if (existsSync(to)) renameSync(to, old);
    renameSync(from, to);
    rmSync(old, { recursive: true, force: true });
    writeStamp(folder, hash, wanted);
  } else {
    rmSync(from, { recursive: true, force: true });
    process.stderr.write(`error: packages/${folder} does not build.\n${stdout}${stderr}\n`);
  }
  return code === 0;
}

const named = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
const unknown = named.filter((folder) => !manifests.has(folder));
if (unknown.length > 0) {
  process.stderr.write(
    `error: There is no package ${unknown.join(', ')}. There are: ${[...manifests.keys()].join(', ')}.\n`,
  );
  process.exit(2);
}
const chosen = [...manifests.keys()].filter((folder) => named.length === 0 || named.includes(folder));
const waiting = chosen.map((folder) => [folder, hashOfInputs(folder)]).filter((entry) => !isFresh(...entry, wanted));
if (waiting.length > 0) {
  process.stderr.write(`Building ${waiting.map(([folder]) => folder).join(', ')} ...\n`);
  const results = await Promise.all(waiting.map((entry) => build(...entry)));
  if (results.includes(false)) process.exitCode = 1;
}

// npm links a workspace's commands at install time, when there is no dist yet.
const bins = chosen.map((folder) => manifests.get(folder)).filter(({ bin }) => bin);
const unlinked = bins.filter(({ bin }) => Object.keys(bin).some((name) => !existsSync(`node_modules/.bin/${name}`)));
if (!process.exitCode && unlinked.length > 0) {
  npm(['rebuild', '--ignore-scripts', ...unlinked.map(({ name }) => name)]);
}
