import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const github = fileURLToPath(new URL('../.github', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(github, '../package.json'), 'utf8')) as { scripts: object };

interface Step {
  readonly uses?: string;
  readonly run?: string;
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

  test('pins each action to one version, and calls what is there', () => {
    for (const { uses } of steps.filter((step) => step.uses !== undefined)) {
      if (uses?.startsWith('./')) expect(existsSync(join(github, '..', uses))).toBe(true);
      else expect(uses).toMatch(/^[\w-]+\/[\w-]+@v\d+\.\d+\.\d+$/);
    }
    const commands = steps.map(({ run = '' }) => run).join('\n');
    for (const [, script = ''] of commands.matchAll(/npm run ([\w:]+)/g))
      expect(Object.keys(scripts)).toContain(script);
    for (const [file] of commands.matchAll(/(?<=node )scripts\/[\w-]+\.mjs|^\.ci\/\w+/gm)) {
      expect(existsSync(join(github, '..', file)), file).toBe(true);
    }
  });
});

test('only the job that publishes may sign, and it is the only one that knows the token of npm', () => {
  const { jobs } = read('workflows/release.yml') as Workflow;
  const signs = Object.entries(jobs).filter(([, job]) => job.permissions?.['id-token'] === 'write');
  expect(signs.map(([name]) => name)).toEqual(['publish']);
  const knows = Object.entries(jobs).filter(([, job]) => JSON.stringify(job).includes('secrets.NPM_TOKEN'));
  expect(knows.map(([name]) => name)).toEqual(['publish']);
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
