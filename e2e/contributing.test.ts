import { execFile, execFileSync } from 'node:child_process';
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
const endpoint = patchBelow('Add an endpoint');
const command = patchBelow('Add a command');

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

function apply(patch: string, ...options: string[]): void {
  execFileSync('git', ['apply', ...options], { cwd: folder, input: patch, stdio: 'pipe' });
}

test('a field takes the contract, its column and a file for each database; an endpoint takes an entry, a rule and a method', () => {
  expect(filesIn(field)).toEqual([
    'packages/sdk/src/contract/campaigns.ts',
    'packages/server/src/store/tables.ts',
    'packages/server/src/store/sql/schema/0002_tags.sqlite.sql',
    'packages/server/src/store/sql/schema/0002_tags.postgres.sql',
  ]);
  expect(filesIn(endpoint)).toEqual([
    'packages/sdk/src/contract/campaigns.ts',
    'packages/server/src/rules/campaigns.ts',
    'packages/sdk/src/resources/campaigns.ts',
  ]);
});

test.runIf(isClone)('the worked examples of CONTRIBUTING.md fit the code', () => {
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  for (const patch of [field, endpoint, command]) apply(patch);
});

/** A minute, most of it compilers. */
describe.runIf(isClone && process.env.TEST_LONG === '1')('and once they are made', { timeout: 300_000 }, () => {
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
  }, 120_000);

  /** The tests of the packages that fail, with what they say. */
  async function failures(): Promise<string[]> {
    const file = join(folder, 'failures.json');
    const projects = ['sdk', 'server', 'mock-server', 'cli'].flatMap((name) => ['--project', name]);
    await vitest(...projects, '--reporter=json', `--outputFile=${file}`);
    const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as {
      testResults: { assertionResults: { status: string; fullName: string; failureMessages: string[] }[] }[];
    };
    return testResults.flatMap(({ assertionResults }) =>
      assertionResults.flatMap(({ status, fullName, failureMessages }) =>
        status === 'failed' ? [`${fullName}: ${failureMessages.join()}`] : [],
      ),
    );
  }

  test('a field fails at most three tests, and each names the file or the command that ends it', {
    timeout: 3_600_000,
  }, async () => {
    for (const patch of [command, endpoint]) apply(patch, '--reverse');
    await node('scripts/generate.mjs');
    await node('scripts/build.mjs', '--no-dts');
    const failed = await failures();
    for (const patch of [endpoint, command]) apply(patch);
    await node('scripts/generate.mjs');
    expect(failed.length, failed.join('\n\n')).toBeLessThanOrEqual(3);
    for (const failure of failed) expect(failure).toMatch(/packages\/\S+\.ts, where|npm (run|test) |Snapshot /);
  });

  test('the endpoint is in OpenAPI and in the reference, also without a command', async () => {
    apply(command, '--reverse');
    await node('scripts/generate.mjs', 'openapi', 'reference-endpoints');
    const read = (file: string) => readFileSync(join(folder, 'docs', file), 'utf8');
    expect(read('openapi.json')).toContain('"operationId": "campaigns.duplicate"');
    const reference = read('reference/endpoints.md');
    expect(reference).toContain('### Duplicate a campaign\n');
    expect(reference).toContain('Copies the terms into a new draft: not the money, the views or the state.');
    expect(reference).toContain('`mkt api /organizations/5/campaigns/1/duplicate.json -X POST`');
    apply(command);
    await node('scripts/generate.mjs', 'reference-endpoints');
    expect(read('reference/endpoints.md')).toContain('`mkt campaigns duplicate 3 --org 5`');
  });

  test('the packages compile', async () => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    for (const name of ['sdk', 'server', 'cli']) await node(tsc, '-p', `packages/${name}`, '--noEmit');
  });

  test('field, endpoint and command work', async () => {
    await node('scripts/build.mjs', '--no-dts', 'cli');
    const program = `
      import { spawn } from 'node:child_process';
      import { execFileSync } from 'node:child_process';
      const mkt = 'packages/cli/dist/bin.cjs';
      const server = spawn(process.execPath, [mkt, 'serve', '--port', '0', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
      const first = await new Promise((done) => server.stdout.once('data', (text) => done(JSON.parse(String(text).split('\\n')[0]))));
      const env = { ...process.env, MKT_BASE_URL: first.url, MKT_TOKEN: first.tokens.ada_write, MKT_ORG: '5', MKT_CONFIG_DIR: 'none' };
      const call = (...args) => JSON.parse(execFileSync(process.execPath, [mkt, ...args, '--json'], { env, stdio: ['ignore', 'pipe', 'ignore'] }));
      const created = call('campaigns', 'create', '--name', 'Glow', '--tags', 'Summer sale,glow');
      const copied = call('campaigns', 'duplicate', '3');
      console.log(JSON.stringify(created.tags), copied.id, copied.status, copied.total_budget_amount);
      server.kill();
    `;
    writeFileSync(join(folder, 'try.mjs'), program);
    expect((await node('try.mjs')).stdout.trim()).toBe('["Summer sale","glow"] 49 draft 0');
  });

  test('the tests run the examples of the new command, and name what is typed out by hand', async () => {
    expect(await vitest('--project', 'cli', 'packages/cli/test/examples.test.ts', '-t', 'duplicate')).toMatch(
      /7 passed/,
    );
    const output = await vitest('--project', 'sdk', 'contract.test.ts');
    for (const title of ['every endpoint of the document', 'those of the document'])
      expect(output).toMatch(new RegExp(`× .*${title}`));
    expect(output).toMatch(/Tests +2 failed/);
  });
});
