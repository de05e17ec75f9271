import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root } from './support/docs/blocks.js';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}`);

test.each(readdirSync(join(root, 'docs/guides')))(
  'docs/guides/%s begins with what it is for, and a command',
  (name) => {
    const [, title = '', opening = ''] = /^# (.+)\n\n([\s\S]*?)(?=\n## |\n\|)/.exec(read(`docs/guides/${name}`)) ?? [];
    expect(title).not.toBe('');
    expect(opening).toMatch(/^[A-Za-z][^|]{40}/);
    const [, command = ''] = /(?:`|^```sh\n)((?:mkt|npm|docker compose) [a-z-]+)/m.exec(opening) ?? [];
    expect(command).not.toBe('');
    if (command.startsWith('mkt')) expect(read('docs/cli.md')).toContain(`# ${command}\n`);
  },
);

/** The first paragraph below the title. */
const opening = (path: string) => read(path).split('\n\n')[1] ?? '';

const isReleased = JSON.parse(read('packages/cli/package.json')).version !== '0.0.0';
const unreleased = /<!--\/?unreleased-->|published yet|until the first release|work in a clone/i;

test.skipIf(process.platform === 'win32')('README.md begins with the commands of a clone, and they exist there', () => {
  const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(read('README.md')) ?? [];
  const [clone = '', ...commands] = block.trim().split('\n');
  const [, url = ''] = /^git clone (https:\S+\/([^/]+)\.git) && cd \2$/.exec(clone) ?? [];
  expect(url).not.toBe('');
  const folder = mkdtempSync(join(tmpdir(), 'mkt-readme-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // The address leads to this repository.
  const env = {
    ...process.env,
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `url.${root}.insteadOf`,
    GIT_CONFIG_VALUE_0: url,
  };
  const type = (line: string) =>
    execFileSync('sh', ['-ec', line], { cwd: folder, env, stdio: 'pipe', encoding: 'utf8' });
  const { scripts, bin } = JSON.parse(type(`${clone} && cat package.json`));
  const known = [
    ...Object.keys(scripts).map((name) => (name === 'test' ? 'npm test' : `npm run ${name}`)),
    ...Object.keys(bin).map((name) => `npx ${name}`),
  ];
  expect(commands.map((line) => known.find((each) => `${line} `.startsWith(`${each} `)))).toEqual([
    'npm run quickstart',
    'npx mkt',
    'npm test',
  ]);
});

test.skipIf(process.platform === 'win32')(
  'only until the first release pages say that there is none, and name no URL',
  () => {
    const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
    expect(pages.some((page) => unreleased.test(read(page)))).toBe(!isReleased);
    const folder = mkdtempSync(join(tmpdir(), 'mkt-pages-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    for (const page of [...pages, 'packages/cli/package.json']) cpSync(join(root, page), join(folder, page));
    const type = (line: string) => execFileSync('sh', ['-ec', line], { cwd: folder, stdio: 'pipe' });
    // `changeset version` deletes notes, which git still lists.
    type('git init -q && touch note.md && git add . && rm note.md');
    type('cd packages/cli && npm pkg set repository.url=git+https://github.com/acme/market.git');
    type(`node '${join(root, 'scripts/release-pages.mjs')}'`);
    const changed = (page: string) => readFileSync(join(folder, page), 'utf8');
    expect(pages.filter((page) => unreleased.test(changed(page)))).toEqual([]);
    expect(
      pages.filter((page) => page !== 'docs/releasing.md' && /git\.example\.com|HOST\/OWNER/.test(changed(page))),
    ).toEqual([]);
    if (isReleased) return;
    expect(changed('README.md')).toContain('\ngit clone https://github.com/acme/market.git && cd market\n');
    expect(changed('docs/install.md')).toContain('https://github.com/acme/market/releases/latest/download/install.sh');
  },
);

test('README.md says what a brand admin installs without Node, and where to read on', () => {
  const [paragraph = ''] = read('README.md').match(/^\*\*For brand admins\*\*[\s\S]*?\n\n/m) ?? [];
  expect(paragraph).toMatch(/one file/);
  for (const page of ['docs/install.md', 'packages/cli/README.md']) expect(paragraph).toContain(`](${page})`);
});

test('the first page of the site says what mkt is in the words of README.md, and has three doors', () => {
  expect(opening('docs/README.md')).toBe(opening('README.md'));
  const [doors = ''] = read('docs/README.md').match(/^(- \*\*.*\n)+/m) ?? [];
  expect(
    [...doors.matchAll(/^- \*\*([^*]+)\*\*: .*\]\(([^)]+)\)/gm)].map(([, label, path = '']) => [
      label,
      existsSync(join(root, 'docs', path)),
    ]),
  ).toEqual(['Run campaigns', 'Write a program', 'Build a front end'].map((label) => [label, true]));
});

test('no two pages explain something in the same twelve words', () => {
  const generated = /^docs\/(cli|benchmarks|reference\/(endpoints|control-api))\.md$|^\.changeset\/|CHANGELOG\.md$/;
  const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const first = new Map<string, string>();
  const twice = new Map<string, string>();
  for (const page of pages.filter((path) => !generated.test(path))) {
    const prose = read(page)
      .replace(/^ *```[\s\S]*?^ *```$/gm, '\n\n')
      .replace(/\]\([^)]*\)/g, ']');
    for (const part of prose.split(/\n\s*\n|\n(?=[-|] |\d+\. )|\|/)) {
      const words = part.toLowerCase().match(/[\p{L}\d]+/gu) ?? [];
      for (let at = 0; at + 12 <= words.length; at += 1) {
        const run = words.slice(at, at + 12).join(' ');
        const other = first.get(run) ?? page;
        first.set(run, other);
        // The first page of the site has the words of README.md.
        if (other !== page && `${other} ${page}` !== 'README.md docs/README.md') twice.set(run, `${other} ${page}`);
      }
    }
  }
  expect(first.size).toBeGreaterThan(10_000);
  expect(Object.fromEntries(twice)).toEqual({});
});

test('docs/dependencies.md gives a reason for every dependency, and for nothing else', () => {
  const used = ['.', ...packages].flatMap((folder) => {
    const manifest = JSON.parse(read(`${folder}/package.json`));
    const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
    return kinds.flatMap((kind) => Object.keys(manifest[kind] ?? {}));
  });
  const listed = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name);
  expect([...new Set(listed)].sort()).toEqual([...new Set(used)].filter((name) => !name.startsWith('@mkt/')).sort());
});

test('docs/reference/environment.md describes every variable that the source reads', () => {
  const source = packages.flatMap((folder) =>
    readdirSync(join(root, folder, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path))
      .flatMap((path) => read(`${folder}/src/${path}`).match(/\bMKT_[A-Z]+(?:_[A-Z]+)*\b/g) ?? []),
  );
  const described = read('docs/reference/environment.md').match(/(?<=`)MKT_[A-Z_]+(?=`)/g) ?? [];
  expect([...new Set(described)].sort()).toEqual([...new Set(source)].sort());
});

test('docs/reference/errors.md has the comment of every error class of the SDK', () => {
  const source = read('packages/sdk/src/errors.ts');
  // A class that is not exported has no line: those derived from it are listed under the one above it.
  const hidden = new Map(
    [...source.matchAll(/^class (\w+) extends (\w+)/gm)].map(([, name, parent]) => [name, parent]),
  );
  const classes = [...source.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport class (\w+) extends (\w+)/g)].map(
    ([, comment = '', name, parent]) => [
      name,
      hidden.get(parent) ?? parent,
      comment.replace(/\s*\n \*\s*/g, ' ').trim(),
    ],
  );
  const listed = read('docs/reference/errors.md').matchAll(/^\| `(\w+)` \| `(\w+)` \| (.*) \| .*\|$/gm);
  expect([...listed].map(([, ...row]) => row)).toEqual(classes);
});
