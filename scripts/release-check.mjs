// Before a release: every package must name the repository that it is built in, or npm refuses its provenance, after some
// of the packages are out. `node scripts/release-check.mjs https://host/owner/name`
import { readdirSync, readFileSync } from 'node:fs';

const [address] = process.argv.slice(2);
if (!address) {
  process.stderr.write('error: Name the repository: node scripts/release-check.mjs https://host/owner/name\n');
  process.exit(2);
}

const wanted = `git+${address}.git`;
const folders = readdirSync('packages');
const wrong = folders.filter((folder) => {
  const { repository } = JSON.parse(readFileSync(`packages/${folder}/package.json`, 'utf8'));
  return repository.url !== wanted || repository.directory !== `packages/${folder}`;
});
if (wrong.length > 0) {
  // Not `-ws`: the examples are workspaces too.
  const workspaces = folders.map((folder) => `-w packages/${folder}`).join(' ');
  process.stderr.write(
    `error: ${wrong.join(', ')} name another repository. Run this and commit:\n  npm pkg set repository.url=${wanted} ${workspaces}\n`,
  );
  process.exitCode = 1;
}
