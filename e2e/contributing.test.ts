import { execFile, execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLong } from '../packages/server/test/support/long.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));

/** The diffs below a heading, as one patch. A blank line of context has lost its blank: editors strip it. */
function patchBelow(heading: string): string {
  const [, section = ''] = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split(`### ${heading}\n`);
  return [...(section.split('\n### ', 1)[0] ?? '').matchAll(/^```diff\n([\s\S]*?)^```$/gm)]
    .map(([, block = '']) => block.replace(/^$(?=\n)/gm, ' '))
    .join('');
}
const filesIn = (patch: string): string[] => [...patch.matchAll(/^\+\+\+ b\/(.*)$/gm)].map(([, path = '']) => path);

const field = patchBelow('Add a field');
const list = patchBelow('Add a list below an item');
const counter = patchBelow('Add a counter');
const computed = patchBelow('Add a computed column');
const rule = patchBelow('Add a rule');
const page = patchBelow('Add a page');
const format = patchBelow('Add an output format');
const patches = [field, list, counter, computed, rule, page, format];

/** The working tree as it is now, committed or not, without what git ignores. */
function copyTo(folder: string): void {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const file of String(files).split('\0')) {
    if (file !== '' && existsSync(join(root, file))) cpSync(join(root, file), join(folder, file));
  }
}

/** Installed packages without a second installation: ours lead to the copy, the others to where they are. */
function link(folder: string, at: string): void {
  const from = join(root, at, 'node_modules');
  if (!existsSync(from)) return;
  mkdirSync(join(folder, at, 'node_modules/@mkt'), { recursive: true });
  for (const name of readdirSync(from)) {
    if (name !== '@mkt' && name !== '.cache') symlinkSync(join(from, name), join(folder, at, 'node_modules', name));
  }
}

/** A tree that was unpacked from an archive cannot say which files are its own. */
const isClone = existsSync(join(root, '.git'));

let folder: string;
beforeAll(() => {
  if (!isClone) return;
  folder = mkdtempSync(join(tmpdir(), 'mkt-contributing-'));
  copyTo(folder);
}, 60_000);
afterAll(() => isClone && rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

const gitApply = (patch: string, ...options: string[]) =>
  spawnSync('git', ['apply', ...options], { cwd: folder, input: patch, encoding: 'utf8' });

function apply(patch: string, ...options: string[]): void {
  const { status, stderr } = gitApply(patch, ...options);
  if (status === 0) return;
  // Someone has made this change. Its new files may have other numbers.
  if (gitApply(patch, '--reverse', '--check', '--exclude=*.sql').status === 0) return;
  const advice = 'Adjust the diffs of these files in CONTRIBUTING.md to the code: their context and line numbers.';
  throw new Error(`${stderr}${advice}`);
}

test('each change takes few files', () => {
  expect(filesIn(field)).toEqual([
    'packages/sdk/src/contract/campaigns.ts',
    'packages/sdk/src/contract/requests.ts',
    'packages/sdk/src/contract/resources.ts',
    'packages/server/src/store/tables.ts',
    'packages/server/src/store/sql/schema/0002_tags.sqlite.sql',
    'packages/server/src/store/sql/schema/0002_tags.postgres.sql',
  ]);
  expect(filesIn(list)).toEqual([
    'packages/sdk/src/contract/campaigns.ts',
    'packages/sdk/src/contract/resources.ts',
    'packages/server/src/rules/campaigns.ts',
    'packages/server/src/store/tables.ts',
    'packages/server/src/store/sql/schema/0003_submissions.sqlite.sql',
    'packages/server/src/store/sql/schema/0003_submissions.postgres.sql',
    'packages/sdk/src/clients/campaigns.ts',
    'packages/cli/src/commands/campaigns/command.ts',
  ]);
  expect(filesIn(counter)).toEqual([
    'packages/sdk/src/contract/campaigns.ts',
    'packages/sdk/src/contract/resources.ts',
    'packages/server/src/store/tables.ts',
    'packages/server/src/store/sql/schema/0004_likes.postgres.sql',
    'packages/server/src/store/sql/schema/0004_likes.sqlite.sql',
  ]);
  expect(filesIn(computed)).toEqual(['packages/sdk/src/contract/computed.ts']);
  expect(filesIn(rule)).toEqual(['packages/sdk/src/contract/requests.ts']);
  expect(filesIn(page)).toEqual([
    'packages/server/src/web/pages/account.tsx',
    'packages/server/src/web/pages/layout.tsx',
    'packages/server/src/web/web-pages.ts',
  ]);
  expect(filesIn(format)).toEqual(['packages/cli/src/text/formats.ts']);
});

test.runIf(isClone)('the worked examples of CONTRIBUTING.md fit the code', () => {
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  for (const patch of patches) apply(patch);
});

/** A minute, most of it compilers. */
describe.runIf(isClone && isLong)('and once they are made', { timeout: 300_000 }, () => {
  const node = (...args: string[]) =>
    run(process.execPath, args, { cwd: folder, env: { ...process.env, NO_COLOR: '1', CI: '', TEST_LONG: '' } });
  const vitest = (...args: string[]) =>
    node('node_modules/vitest/vitest.mjs', 'run', ...args).then(
      ({ stdout }) => stdout,
      ({ stdout }: { stdout: string }) => stdout,
    );

  beforeAll(async () => {
    for (const at of ['.', 'packages/sdk', 'packages/server', 'packages/mock-server', 'packages/cli']) link(folder, at);
    for (const name of ['sdk', 'server', 'mock-server', 'cli']) {
      symlinkSync(join(folder, 'packages', name), join(folder, 'node_modules/@mkt', name));
    }
    await node('scripts/generate.mjs');
    // Generators that read what others write come after them.
    await node('scripts/generate.mjs', '--check');
  }, 120_000);

  /** Failures of the changes before, which the next one is not counted for. */
  const known: string[] = [];
  const titleOf = (failure: string): string => failure.split(': ')[0] ?? '';

  /** The tests of the packages that fail, with what they say: in some files, or in all of them. */
  async function failuresOf(...files: string[]): Promise<{ readonly file: string; readonly text: string }[]> {
    const report = join(folder, 'failures.json');
    const projects = ['sdk', 'server', 'mock-server', 'cli'].flatMap((name) => ['--project', name]);
    await vitest(...projects, ...files, '--reporter=json', `--outputFile=${report}`);
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
      testResults: {
        name: string;
        assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
      }[];
    };
    return testResults.flatMap(({ name: file, assertionResults }) =>
      assertionResults.flatMap(({ status, fullName, failureMessages }) =>
        status === 'failed' ? [{ file, text: `${fullName}: ${failureMessages.join()}` }] : [],
      ),
    );
  }

  /** Those that fail twice: others exceed a time limit on a busy machine. */
  async function failures(): Promise<string[]> {
    const first = await failuresOf();
    if (first.length === 0) return [];
    const titles = new Set(first.map(({ text }) => titleOf(text)));
    const second = await failuresOf(...new Set(first.map(({ file }) => file)), '--maxWorkers=1');
    return second.flatMap(({ text }) => (titles.has(titleOf(text)) ? [text] : []));
  }

  test.each([
    ['a field', field, 3],
    ['a list below an item', list, 5],
    ['a counter', counter, 3],
    ['a computed column', computed, 3],
    ['a rule', rule, 1],
    ['a page', page, 1],
    ['an output format', format, 2],
  ])(
    '%s fails few tests, and each names the file or the command that ends it',
    { timeout: 3_600_000 },
    async (_, added, most) => {
      const others = patches.slice(patches.indexOf(added) + 1);
      for (const patch of others.toReversed()) apply(patch, '--reverse');
      await node('scripts/generate.mjs');
      await node('scripts/build.mjs', '--no-dts');
      const failed = (await failures()).filter((failure) => !known.includes(titleOf(failure)));
      known.push(...failed.map(titleOf));
      for (const patch of others) apply(patch);
      await node('scripts/generate.mjs');
      expect(failed.length, failed.join('\n\n')).toBeLessThanOrEqual(most);
      for (const failure of failed)
        expect(failure).toMatch(/packages\/\S+\.ts, where|np(m run|m test|x vitest run) |Snapshot /);
    },
  );

  test('the list is in OpenAPI and in the reference', () => {
    const read = (file: string) => readFileSync(join(folder, 'docs', file), 'utf8');
    expect(read('openapi.json')).toContain('"operationId": "campaigns.submissions"');
    const reference = read('reference/endpoints.md');
    expect(reference).toContain('### List the submissions of a campaign\n');
    expect(reference).toContain('| `creator` | string | Name of the creator. |');
    expect(reference).toContain('`mkt campaigns submissions 3 --org 5`');
  });

  test('the linter accepts them', async () => {
    const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
    const { stdout } = await node(biome, 'check', '--error-on-warnings', 'packages').catch((error) => error);
    expect(stdout).toMatch(/^Checked \d+ files in .* No fixes applied\.$/m);
  });

  test('the packages compile', async () => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    for (const name of ['sdk', 'server', 'cli']) await node(tsc, '-p', `packages/${name}`, '--noEmit');
  });

  test('the changes work', async () => {
    await node('scripts/build.mjs', '--no-dts', 'cli');
    const submissions = [{ creator: 'Cleo', url: 'https://video.example/1' }];
    const glow = { name: 'Glow', total_budget_amount: 900, used_amount: 90, likes_count: 12, submissions };
    const seed = {
      users: { ada: { tokens: [{ secret: 'mkt_for_my_tests' }] } },
      organizations: { acme: { name: 'Acme', members: { ada: 'owner' }, campaigns: [glow] } },
    };
    writeFileSync(join(folder, 'seed.json'), JSON.stringify(seed));
    const program = `
      import { spawn, spawnSync } from 'node:child_process';
      const mkt = 'packages/cli/dist/bin.cjs';
      const args = ['serve', '--port', '0', '--seed', 'seed.json', '--json'];
      const server = spawn(process.execPath, [mkt, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
      const { url } = await new Promise((done) => server.stdout.once('data', (text) => done(JSON.parse(String(text).split('\\n')[0]))));
      const env = { ...process.env, MKT_BASE_URL: url, MKT_TOKEN: 'mkt_for_my_tests', MKT_CONFIG_DIR: 'none' };
      const call = (...args) => spawnSync(process.execPath, [mkt, ...args], { env, encoding: 'utf8' });

      const { tags, likes_count } = JSON.parse(call('campaigns', 'create', '--name', 'Second', '--tags', 'Summer sale,glow', '--json').stdout);
      console.log(JSON.stringify({ tags, likes_count }));
      console.log(call('campaigns', 'submissions', 'Glow', '--since', '2020-01-01', '--fields', 'creator,url', '--format', 'markdown').stdout.trim());
      console.log(call('campaigns', 'list', '--fields', 'name,likes_count,cost_per_like', '--format', 'csv').stdout.trim());
      console.log(call('campaigns', 'create', '--name', 'A\\tB').stderr.split('\\n')[1].trim());
      console.log(call('pull').stdout.includes('likes'), call('campaigns', 'create', '--help').stdout.includes('--likes'));
      console.log(JSON.parse(call('report', '--json').stdout).currencies[0].likes_count);

      const send = (path, cookies = [], body) =>
        fetch(url + path, { method: body ? 'POST' : 'GET', body, redirect: 'manual', headers: { cookie: cookies.map((each) => each.split(';')[0]).join('; ') } });
      const form = await send('/sign_in');
      const [, csrf_token] = /name="csrf_token" value="([^"]+)"/.exec(await form.text());
      const session = await send('/sign_in', form.headers.getSetCookie(), new URLSearchParams({ csrf_token, token: 'mkt_for_my_tests' }));
      const page = async (path) => (await send(path, session.headers.getSetCookie())).text();
      console.log(/You are signed in as \\w+/.exec(await page('/account'))?.[0]);
      console.log(/Cost per like<.*?>([\\d.]+)/.exec((await page('/organizations/1/campaigns/1')).replaceAll('\\n', ''))?.[1]);
      server.kill();
    `;
    writeFileSync(join(folder, 'try.mjs'), program);
    expect((await node('try.mjs')).stdout.trim().split('\n')).toEqual([
      '{"tags":["Summer sale","glow"],"likes_count":0}',
      '| creator | url |',
      '| --- | --- |',
      '| Cleo | https://video.example/1 |',
      'name,likes_count,cost_per_like',
      'Glow,12,7.5',
      'Second,0,',
      '--name  must not contain a tab.',
      'false false',
      '12',
      'You are signed in as Ada',
      '7.5',
    ]);
  });

  test('the tests run the examples of the new command', async () => {
    const output = await vitest('--project', 'cli', 'packages/cli/test/examples.test.ts', '-t', 'submissions');
    expect(output).toMatch(/\d+ passed/);
    expect(output).not.toMatch(/\d+ failed/);
  });
});
