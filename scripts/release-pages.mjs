// Part of `npm run changeset:version`: pages lose what is true only until the first release, which is between
// `<!--unreleased-->` and `<!--/unreleased-->`, and get the URL of the repository instead of the placeholders.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';

const { repository } = JSON.parse(readFileSync('packages/cli/package.json', 'utf8'));
const url = repository.url.replace(/^git\+|\.git$/g, '');
// Those that `changeset version` deleted are still in git's index.
const pages = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' }).trim().split('\n');
for (const page of pages.filter((path) => existsSync(path))) {
  const before = readFileSync(page, 'utf8');
  let after = before.replace(/\n?<!--unreleased-->[\s\S]*?<!--\/unreleased-->/g, '');
  // That page explains the placeholders.
  if (page !== 'docs/releasing.md')
    after = after
      .replaceAll('https://HOST/OWNER/mkt.git && cd mkt', `${url}.git && cd ${basename(url)}`)
      .replaceAll('https://git.example.com/mkt/mkt', url);
  if (after !== before) writeFileSync(page, after);
}
