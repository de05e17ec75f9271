// Builds the packages whose sources changed since their last build, all at once: those named on the command line (`cli`),
// else every one. `--no-dts` leaves out declarations, which are most of the time and which nothing that runs needs.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { commentFields } from './lib/field-comments.mjs';
import { npm } from './lib/npm.mjs';
import { writePackagePages } from './lib/package-pages.mjs';

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'));
const wanted = process.argv.includes('--no-dts') ? 'js' : 'all';
const tsup = createRequire(import.meta.url).resolve('tsup/dist/cli-default.js');
const execute = promisify(execFile);
const stamps = 'node_modules/.cache/mkt-build';

const read = (file) => (existsSync(file) ? readFileSync(file) : '');
const manifests = new Map(
  readdirSync('packages').map((folder) => [
    folder,
    JSON.parse(readFileSync(`packages/${folder}/package.json`, 'utf8')),
  ]),
);
const folderOf = new Map([...manifests].map(([folder, { name }]) => [name, folder]));

/** The package itself and the workspaces it uses: the CLI bundles them, and declarations are inferred through them. */
function closure(folder, seen = new Set()) {
  if (seen.has(folder)) return seen;
  seen.add(folder);
  const { dependencies, devDependencies } = manifests.get(folder);
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    if (folderOf.has(name)) closure(folderOf.get(name), seen);
  }
  return seen;
}

const filesUnder = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

function hashOfInputs(folder) {
  // A release names its commit.
  const hash = createHash('sha256').update(process.env.MKT_COMMIT ?? '');
  const scripts = [
    'scripts/lib/bundled-assets.mjs',
    'scripts/lib/field-comments.mjs',
    'scripts/generators/descriptions.mjs',
  ];
  const shared = ['package-lock.json', 'tsconfig.base.json', 'tsup.base.ts', 'tsup.notices.ts', ...scripts];
  const own = [...closure(folder)].sort().flatMap((name) => {
    const top = readdirSync(`packages/${name}`).filter((file) =>
      /^(package|tsconfig.*)\.json$|^tsup\.config\.ts$/.test(file),
    );
    return [...top.map((file) => `packages/${name}/${file}`), ...filesUnder(`packages/${name}/src`)];
  });
  for (const file of [...shared, ...own]) hash.update(`${file}\0`).update(read(file)).update('\0');
  return hash.digest('hex');
}

function fresh(folder, hash) {
  const stamp = JSON.parse(String(read(`${stamps}/${folder}.json`)) || '{}');
  return (
    stamp.hash === hash &&
    (stamp.kind === 'all' || stamp.kind === wanted) &&
    stamp.files.every((file) => existsSync(file))
  );
}

/** Builds next to `dist` and swaps at the end: a failed build leaves the last good one, and a partial build is never used. */
async function build(folder, hash) {
  const next = `dist.${process.pid}`;
  const options = { cwd: `packages/${folder}`, env: { ...process.env, MKT_BUILD: wanted }, maxBuffer: 2 ** 26 };
  const command = [tsup, '--silent', '--out-dir', next];
  const { code = 0, stdout, stderr } = await execute(process.execPath, command, options).catch((error) => error);
  const from = `packages/${folder}/${next}`;
  const to = `packages/${folder}/dist`;
  if (code === 0) {
    if (folder === 'sdk' && wanted === 'all') commentFields(from);
    // Renaming is fast, removing is not: a program that runs meanwhile finds the old build or the new one.
    const old = `${from}.old`;
    if (existsSync(to)) renameSync(to, old);
    renameSync(from, to);
    rmSync(old, { recursive: true, force: true });
    mkdirSync(stamps, { recursive: true });
    writeFileSync(`${stamps}/${folder}.json`, JSON.stringify({ hash, kind: wanted, files: filesUnder(to) }));
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
const waiting = chosen.map((folder) => [folder, hashOfInputs(folder)]).filter((entry) => !fresh(...entry));
if (waiting.length > 0) {
  process.stderr.write(`Building ${waiting.map(([folder]) => folder).join(', ')} ...\n`);
  const results = await Promise.all(waiting.map((entry) => build(...entry)));
  if (results.includes(false)) process.exitCode = 1;
}

if (wanted === 'all') chosen.forEach(writePackagePages);

// npm links a workspace's commands at install time, when there is no dist yet; without the link `npx mkt` asks the registry.
const bins = chosen.map((folder) => manifests.get(folder)).filter(({ bin }) => bin);
const unlinked = bins.filter(({ bin }) => Object.keys(bin).some((name) => !existsSync(`node_modules/.bin/${name}`)));
if (!process.exitCode && unlinked.length > 0) {
  npm(['rebuild', '--ignore-scripts', ...unlinked.map(({ name }) => name)]);
}
