// Which builds there are and whether they are of the present sources: a build leaves a stamp with the hash of its inputs.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const stamps = join(root, 'node_modules/.cache/mkt-build');
const inRoot = (file) => join(root, file);

/** The manifests of the packages, by folder. */
export const manifests = new Map(
  readdirSync(inRoot('packages')).map((folder) => [
    folder,
    JSON.parse(readFileSync(inRoot(`packages/${folder}/package.json`), 'utf8')),
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

/** Paths from the root. */
const filesUnder = (folder) =>
  readdirSync(inRoot(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();

/** A hash of everything that a build of the package is made from. */
export function hashOfInputs(folder) {
  const scripts = ['tsup.base.ts', 'tsup.notices.ts', 'scripts/lib/bundled-assets.mjs'];
  const shared = ['package-lock.json', 'tsconfig.base.json', ...scripts];
  const own = [...closure(folder)].sort().flatMap((name) => {
    const top = readdirSync(inRoot(`packages/${name}`)).filter((file) =>
      /^(package|tsconfig.*)\.json$|^tsup\.config\.ts$/.test(file),
    );
    return [...top.map((file) => `packages/${name}/${file}`), ...filesUnder(`packages/${name}/src`)];
  });
  const hash = createHash('sha256');
  for (const file of [...shared, ...own]) {
    const path = inRoot(file);
    hash
      .update(`${file}\0`)
      .update(existsSync(path) ? readFileSync(path) : '')
      .update('\0');
  }
  return hash.digest('hex');
}

const stampOf = (folder) => join(stamps, `${folder}.json`);
const readStamp = (folder) => (existsSync(stampOf(folder)) ? JSON.parse(readFileSync(stampOf(folder), 'utf8')) : {});
const hasFiles = ({ files = [] }) => files.length > 0 && files.every((file) => existsSync(inRoot(file)));
/** A release names its commit. */
const commit = process.env.MKT_COMMIT ?? '';

/** Notes that the build of a package, `js` or `all`, was made of sources with this hash. */
export function writeStamp(folder, hash, kind) {
  mkdirSync(stamps, { recursive: true });
  const files = filesUnder(`packages/${folder}/dist`);
  writeFileSync(stampOf(folder), JSON.stringify({ hash, commit, kind, files }));
}

/** Whether there is nothing to build. */
export function isFresh(folder, hash, wanted) {
  const stamp = readStamp(folder);
  const isKind = stamp.kind === 'all' || stamp.kind === wanted;
  return stamp.hash === hash && stamp.commit === commit && isKind && hasFiles(stamp);
}

/** The path of a file in the build of a package, for tests of what is shipped. @throws if the build is not of the present sources */
export function builtFile(folder, file) {
  const stamp = readStamp(folder);
  const problem = !hasFiles(stamp) ? 'is missing' : stamp.hash !== hashOfInputs(folder) && 'is older than its source';
  if (problem)
    throw new Error(`The build of packages/${folder} ${problem}. Build it: node scripts/build.mjs --no-dts ${folder}`);
  return inRoot(`packages/${folder}/dist/${file}`);
}
