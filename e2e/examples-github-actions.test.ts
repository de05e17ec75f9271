import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { exampleFixture } from './support/example-fixture.js';

vi.setConfig({ testTimeout: 120_000 });

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
}
interface Job extends Omit<Step, 'run' | 'uses' | 'name'> {
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}
interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly defaults: { readonly run: { readonly shell: string } };
  readonly jobs: Readonly<Record<string, Job>>;
}

const root = join(import.meta.dirname, '..');
const example = join(root, 'examples/github-actions');
const source = readFileSync(join(example, '.github/workflows/marketplace.yml'), 'utf8');
const workflow = parse(source) as Workflow;

const fixture = exampleFixture(example);
const file = (name: string): string => join(fixture.shop.folder, name);
beforeEach(() => {
  // GitHub's own program, which posts the comment: what it is given is kept.
  fixture.shop.program('gh', `printf '%s\\n' "$@" > gh.txt; cp difference.md comment.md`);
});

/** Expressions as GitHub would fill them in. */
const filled = (text: string): string => {
  const values: Readonly<Record<string, string>> = {
    'vars.MKT_BASE_URL': fixture.service.url,
    'secrets.MKT_READ_TOKEN': 'mkt_demo_ada_read',
    'secrets.MKT_TOKEN': 'mkt_demo_ada_write',
    'github.token': 'github-token',
    'github.event.pull_request.number': '7',
  };
  return text.replaceAll(/\$\{\{ *(.*?) *\}\}/g, (_whole, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`The workflow uses ${name}, which this test does not know.`);
    return value;
  });
};

interface Result {
  readonly name: string;
  readonly code: number | null;
  readonly output: string;
}

/** Runs the steps of a job as a runner does: each in a shell of its own, until one fails; then those that always run. */
async function runJob(name: string): Promise<{ failed: boolean; steps: Result[]; summary: string }> {
  const job = workflow.jobs[name];
  if (job === undefined) throw new Error(`There is no job ${name}.`);
  expect(workflow.defaults.run.shell).toBe('bash');
  const summary = file('summary.md');
  writeFileSync(summary, '');
  const steps: Result[] = [];
  let failed = false;
  for (const step of job.steps) {
    // What others publish, and the installation, which the next test looks at.
    if (step.run === undefined || step.run.startsWith('npm install')) continue;
    if (failed && step.if?.includes('!cancelled()') !== true) continue;
    const given = Object.entries({ ...workflow.env, ...job.env, ...step.env });
    const env = Object.fromEntries(given.map(([key, value]) => [key, filled(value)]));
    const { code, stdout, stderr } = await fixture.shop.run(
      ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run],
      { ...env, CI: 'true', GITHUB_STEP_SUMMARY: summary },
    );
    steps.push({ name: step.name ?? '', code, output: stdout + stderr });
    failed ||= code !== 0;
  }
  return { failed, steps, summary: readFileSync(summary, 'utf8') };
}

it('is a workflow with least rights, whose names the README explains', () => {
  expect(Object.keys(workflow.on)).toEqual(['pull_request', 'push', 'schedule']);
  expect(workflow.permissions).toEqual({ contents: 'read' });
  const readme = readFileSync(join(example, 'README.md'), 'utf8');
  for (const [, name] of source.matchAll(/(?:secrets|vars)\.(\w+)/g)) expect(readme).toContain(`\`${name}\``);
  for (const [name, { steps, if: condition }] of Object.entries(workflow.jobs)) {
    expect(condition).toMatch(/^github\.event_name == '(pull_request|push|schedule)'/);
    expect(readme).toContain(`**${name}**`);
    for (const { uses, run } of steps) expect(Number(uses === undefined) + Number(run === undefined)).toBe(1);
  }
  // Only the job that changes has the token that may.
  const withWrite = Object.entries(workflow.jobs).filter(([, { env }]) =>
    env?.MKT_TOKEN?.includes('secrets.MKT_TOKEN'),
  );
  expect(withWrite.map(([name, { environment }]) => [name, environment])).toEqual([['apply', 'marketplace']]);
});

it('installs the version that is here', () => {
  const { name, version } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8')) as Record<
    string,
    string
  >;
  // The first release is 0.1.0.
  const [major, minor] = (version === '0.0.0' ? '0.1.0' : (version ?? '')).split('.');
  const installed = [...source.matchAll(/npm install --global (\S+)/g)].map(([, spec]) => spec);
  expect(new Set(installed)).toEqual(new Set([`${name}@${major}.${minor}`]));
});

it('shows on a pull request what merging does, and does it once merged', async () => {
  const looked = await runJob('difference');
  expect(looked).toMatchObject({ failed: false, steps: [{ code: 0 }, { code: 0 }] });
  const comment = readFileSync(file('comment.md'), 'utf8');
  expect(comment).toContain('    ~ update campaign 1 "Summer UGC Campaign"\n');
  expect(comment).toContain('    Plan: 1 to create, 1 to change, 2 actions, 0 unchanged.\n');
  expect(
    comment
      .split('\n')
      .slice(2)
      .every((line) => line === '' || line.startsWith('    ')),
  ).toBe(true);
  expect(looked.summary).toBe(comment);
  expect(readFileSync(file('gh.txt'), 'utf8').split('\n').slice(0, 3)).toEqual(['pr', 'comment', '7']);

  // Nothing was done yet, so the morning's look finds a difference.
  const early = await runJob('drift');
  expect(early.failed).toBe(true);
  expect(early.steps[0]?.output).toContain('Plan: 1 to create');

  const applied = await runJob('apply');
  expect(applied).toMatchObject({ failed: false, steps: [{ code: 0 }, { code: 0 }] });
  expect(applied.summary).toContain('    Created campaign 48 "Autumn glow" in Acme Cosmetics\n');

  expect(await runJob('drift')).toMatchObject({ failed: false });
  expect((await runJob('apply')).steps[0]?.output).toContain('Plan: 0 to create, 0 to change, 0 actions, 3 unchanged.');
});

it('reports problems on the pull request, and fails', async () => {
  writeFileSync(file('marketplace.yaml'), 'organization: 5\ncampaigns:\n  - id: 5\n    status: active\n');
  const { failed, steps } = await runJob('difference');
  expect(failed).toBe(true);
  expect(steps.map(({ name, code }) => [name, code])).toEqual([
    ['Compare', 2],
    ['Comment', 0],
  ]);
  expect(readFileSync(file('comment.md'), 'utf8')).toContain('marketplace.yaml:4:5: status: active is not possible');
  expect(await runJob('apply')).toMatchObject({ failed: true, steps: [{ code: 2 }] });
});
