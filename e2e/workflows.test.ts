import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { shell } from './support/packed.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const github = join(root, '.github');
const { scripts } = JSON.parse(readFileSync(join(github, '../package.json'), 'utf8')) as { scripts: object };

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Job extends Step {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps?: readonly Step[];
}
interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}
const read = (path: string) => parse(readFileSync(join(github, path), 'utf8'));
const names = readdirSync(join(github, 'workflows'));

describe.each(names)('the workflow %s', (name) => {
  const { jobs, permissions } = read(join('workflows', name)) as Workflow;
  const steps = Object.values(jobs).flatMap((job) => [job, ...(job.steps ?? [])]);

  test('starts with no permission to write', () => {
    expect(Object.values(permissions).filter((level) => level !== 'read')).toEqual([]);
  });

  // A tag can be moved to other code, a commit cannot. The comment is for people, and Dependabot keeps it true.
  test('pins each action to a commit, and names its version', () => {
    const lines = readFileSync(join(github, 'workflows', name), 'utf8').split('\n');
    const others = lines.filter((line) => /\buses: /.test(line) && !/\buses: \.\//.test(line));
    expect(others).toHaveLength(steps.filter(({ uses }) => uses !== undefined && !uses.startsWith('./')).length);
    for (const line of others) expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test('calls what is there', () => {
    for (const { uses } of steps) {
      if (uses?.startsWith('./')) expect(existsSync(join(github, '..', uses))).toBe(true);
    }
    const commands = steps.map(({ run = '' }) => run).join('\n');
    for (const [, script = ''] of commands.matchAll(/npm run ([\w:]+)/g))
      expect(Object.keys(scripts)).toContain(script);
    for (const [file] of commands.matchAll(/(?<=node )scripts\/[\w-]+\.mjs|^\.ci\/\w+/gm)) {
      expect(existsSync(join(github, '..', file)), file).toBe(true);
    }
  });
});

test('what runs for pull requests keeps no credentials beside the code that it runs', () => {
  const { jobs } = read('workflows/ci.yml') as Workflow;
  const checkouts = Object.values(jobs).flatMap((job) =>
    (job.steps ?? []).filter(({ uses }) => uses?.startsWith('actions/checkout@')),
  );
  expect(checkouts).toHaveLength(Object.keys(jobs).length);
  expect(checkouts.map((step) => step.with?.['persist-credentials'])).toEqual(checkouts.map(() => false));
});

test('only the job that publishes may sign, and it is the only one that knows the token of npm', () => {
  const { jobs } = read('workflows/release.yml') as Workflow;
  const signs = Object.entries(jobs).filter(([, job]) => job.permissions?.['id-token'] === 'write');
  expect(signs.map(([name]) => name)).toEqual(['publish']);
  const knows = Object.entries(jobs).filter(([, job]) => JSON.stringify(job).includes('secrets.NPM_TOKEN'));
  expect(knows.map(([name]) => name)).toEqual(['publish']);
});

test('a release of packages that name another repository is stopped, and the command that it names mends them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mkt-release-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const manifests = [
    '.',
    ...['packages', 'examples'].flatMap((at) => readdirSync(join(root, at)).map((name) => join(at, name))),
  ];
  for (const at of manifests) {
    const manifest = join(at, 'package.json');
    if (existsSync(join(root, manifest))) cpSync(join(root, manifest), join(folder, manifest));
  }
  const check = () =>
    spawnSync(process.execPath, [join(root, 'scripts/release-check.mjs'), 'https://git.example.org/acme/mkt'], {
      cwd: folder,
      encoding: 'utf8',
    });
  const { status, stderr } = check();
  expect(status).toBe(1);
  const [, args = ''] = /^ {2}npm (.+)$/m.exec(stderr) ?? [];
  execFileSync('npm', args.split(' '), { cwd: folder, shell, stdio: 'pipe' });
  expect(check()).toMatchObject({ status: 0, stderr: '' });
  for (const at of manifests.filter(
    (path) => path.startsWith('examples') && existsSync(join(folder, path, 'package.json')),
  )) {
    expect(readFileSync(join(folder, at, 'package.json'), 'utf8')).toBe(
      readFileSync(join(root, at, 'package.json'), 'utf8'),
    );
  }
});

test('each issue form asks for something, and requires it', () => {
  const forms = readdirSync(join(github, 'ISSUE_TEMPLATE')).filter((name) => name !== 'config.yml');
  expect(forms.length).toBeGreaterThan(1);
  for (const form of forms) {
    const { name, description, body } = read(join('ISSUE_TEMPLATE', form));
    expect([typeof name, typeof description]).toEqual(['string', 'string']);
    const fields = body.filter(({ type }: { type: string }) => type !== 'markdown');
    expect(new Set(fields.map(({ id }: { id: string }) => id)).size).toBe(fields.length);
    expect(fields.some(({ validations }: { validations?: { required: boolean } }) => validations?.required)).toBe(true);
  }
});
