import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { campaignListItem, computedFields } from '@mkt/sdk/contract';
import { describe, expect, it } from 'vitest';
import { type Command, isGroup } from '../src/context/command.js';
import { commands } from '../src/root/commands.js';
import { topics } from '../src/root/help/topics.js';
import { runCli } from './support/run-cli.js';

const paths = commands.flatMap((command) => [
  [command.name],
  ...(isGroup(command) ? command.commands().map((leaf) => [command.name, leaf.name]) : []),
]);

const spec = (line: string): Command | undefined => {
  const [name, action] = line.split(' ');
  const command = commands.find((each) => each.name === name);
  if (command === undefined || !isGroup(command)) return command;
  return command.commands().find((leaf) => leaf.name === action);
};

it.each([
  ['program', ['--help']],
  ['group', ['campaigns', '--help']],
  ['leaf', ['collabs', 'update', '--help']],
  ['list', ['campaigns', 'list', '--help']],
  ['topic', ['help', 'environment']],
  ['group that is a topic too', ['help', 'config']],
])('of a %s', async (name, argv) => {
  const { code, stdout, stderr } = await runCli(argv, { columns: 80 });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const calm = stdout.replace(/mkt \d+\.\d+\.\d+/, 'mkt VERSION').replace(/(?<=\n {2})id, [a-z_,\s]+/, 'FIELDS\n\n');
  await expect(
    calm,
    'Look at the difference; if it is right: npx vitest run --project cli help -u',
  ).toMatchFileSnapshot(`goldens/help-${name.replaceAll(' ', '-')}.txt`);
});

it('names the fields of the contract and those that mkt computes', async () => {
  const { stdout } = await runCli(['campaigns', 'list', '--help'], { columns: 80 });
  const [, fields = ''] = /Fields for --fields\n {2}([a-z_,\s]+?)\n\n/.exec(stdout) ?? [];
  expect(fields.split(/,\s+/)).toEqual([
    ...Object.keys(campaignListItem.shape),
    ...Object.keys(computedFields.campaigns),
  ]);
});

describe.each(paths.filter(([name]) => name !== 'serve').map((path) => [path.join(' '), path] as const))(
  'mkt %s',
  (line, path) => {
    it('prints the same help for --help, -h and mkt help, within the width', async () => {
      const { code, stdout } = await runCli([...path, '--help'], { columns: 80 });
      expect(code).toBe(0);
      // Examples are to be copied whole, so only they may be longer.
      const lines = stdout.split('\n').filter((text) => !text.startsWith('  mkt '));
      expect(lines.filter((text) => text.length > 80)).toEqual([]);
      expect(stdout).not.toMatch(/undefined|\bD\d\d\b|api\.md|\[options\]/);
      for (const other of [
        [...path, '-h'],
        ['help', ...path],
        ['--no-color', ...path, '--help'],
      ]) {
        expect((await runCli(other, { columns: 80 })).stdout).toBe(stdout);
      }
      expect(stdout).toContain(`mkt ${line}`);
    });
  },
);

it('of mkt serve, which the server defines, looks like that of other commands', async () => {
  for (const columns of [40, 80]) {
    const { code, stdout } = await runCli(['serve', '--help'], { columns });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Usage: mkt serve \[flags\] \[command\]\n\nRun the reference server\.\n\nFlags\n {2}\S* {0,4}--port NUMBER/,
    );
    expect(stdout).toContain('\nExamples\n  mkt serve --port 4010\n');
    expect(stdout).not.toMatch(/Options:|<\w+>/);
    expect(stdout.split('\n').filter((line) => line.length > columns)).toEqual([]);
  }
  const { stdout } = await runCli(['serve', 'backup', '--help'], { columns: 80 });
  expect(stdout).toMatch(/^Usage: mkt serve backup \[flags\]\n/);
});

it('fits 40 columns, except for lines to copy', async () => {
  const samples = paths.flatMap((path) => spec(path.join(' '))?.sample?.lines ?? []);
  const topicLines = topics.flatMap(({ sections }) => sections.flatMap(({ lines }) => lines));
  const copied = [...samples, ...topicLines].map((line) => `  ${line}`);
  const asked = [[], ...paths.filter(([name]) => name !== 'serve'), ...topics.map(({ name }) => ['help', name])];
  for (const path of asked) {
    const { stdout } = await runCli(path[0] === 'help' ? path : [...path, '--help'], { columns: 40 });
    const lines = stdout.split('\n').filter((text) => !/^ {2}(# |mkt )/.test(text) && !copied.includes(text));
    expect(lines.filter((text) => text.length > 40)).toEqual([]);
  }
});

// A terminal has 24 lines at first. Flags of one's own take as many as there are, and so does a topic.
it.each(
  paths
    .map((path) => [path.join(' '), path] as const)
    .filter(
      ([line]) =>
        !['serve', 'twin serve', 'config'].includes(line) && !spec(line)?.flags?.length && !spec(line)?.fields,
    ),
)('of mkt %s, which has no flags of its own, fits a screen', async (_line, path) => {
  const { stdout } = await runCli([...path, '--help'], { columns: 80 });
  expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(24);
});

it('is what a bare mkt and a bare group print', async () => {
  expect((await runCli([])).stdout).toBe((await runCli(['--help'])).stdout);
  expect((await runCli(['campaigns'])).stdout).toBe((await runCli(['campaigns', '--help'])).stdout);
});

describe('topics', () => {
  it.each(topics.map((topic) => [topic.name, topic] as const))('mkt help %s', async (name, { sections }) => {
    const { code, stdout, stderr } = await runCli(['help', name], { columns: 80 });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const examples = sections.flatMap(({ lines }) => lines.map((line) => `  ${line}`));
    const lines = stdout.split('\n').filter((line) => !examples.includes(line));
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    for (const { title } of sections) expect(stdout).toContain(`\n${title}\n`);
  });

  it('name every variable that the program reads, and no other', () => {
    const source = join(import.meta.dirname, '../src');
    const read = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .flatMap((path) => readFileSync(join(source, path), 'utf8').match(/\bMKT_[A-Z_]+/g) ?? []);
    const told = topics
      .filter(({ name }) => name === 'environment')
      .flatMap(({ sections }) => sections.flatMap(({ entries }) => entries.map(([name]) => name)));
    expect(told.filter((name) => name.startsWith('MKT_')).sort()).toEqual([...new Set(read)].sort());
  });

  it('are listed in the error for one that does not exist', async () => {
    const { code, stdout, stderr } = await runCli(['help', 'exitcodes']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('"exitcodes" is not a command or a topic. Did you mean exit-codes?\n');
    expect(stderr).toContain('Topics: environment, exit-codes,');
  });
  it.each([
    [['campagns'], ' Did you mean campaigns?'],
    [['orgs', 'crate'], ' Did you mean organizations create?'],
    [['xyz'], ''],
    [['campaigns', 'xyz'], ''],
  ])('suggests what %j probably means', async (words, guess) => {
    const { code, stderr } = await runCli(['help', ...words]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`"${words.join(' ')}" is not a command or a topic.${guess}\n`),
    });
  });
});

it('the help of each command has its examples', async () => {
  const all = commands.flatMap((command) =>
    isGroup(command)
      ? command.commands().map((leaf) => ({ words: [command.name, leaf.name], leaf }))
      : [{ words: [command.name], leaf: command }],
  );
  for (const { words, leaf } of all.filter(({ leaf }) => leaf.passThrough !== true)) {
    const { stdout } = await runCli([...words, '--help'], { columns: 80 });
    for (const { line } of leaf.examples) expect(stdout).toContain(`\n  ${line}`);
  }
});

it('mkt help finds a command after flags', async () => {
  expect((await runCli(['--no-color', 'help', 'campaigns', 'create'])).stdout).toBe(
    (await runCli(['campaigns', 'create', '--help'])).stdout,
  );
});

/** The rows of tables with two columns, as plain text. */
const tableRows = (page: string): string[] => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/reference', page), 'utf8');
  return [...text.matchAll(/^\| (.+) \| (.+) \|$/gm)].map(([, left, right]) =>
    `${left}  ${right}`.replaceAll('`', '').replaceAll('&lt;', '<'),
  );
};

it.each([
  ['environment', 'environment.md'],
  ['exit-codes', 'exit-codes.md'],
])('the topic %s has the same entries as docs/reference/%s', (name, page) => {
  const entries = topics.find((topic) => topic.name === name)?.sections.flatMap((section) => section.entries) ?? [];
  expect(entries.length).toBeGreaterThan(10);
  expect(tableRows(page)).toEqual(expect.arrayContaining(entries.map((entry) => entry.join('  '))));
});

it('docs/reference/config-files.md has the order of settings and the keys of a profile', () => {
  const [order] = topics.find(({ name }) => name === 'config')?.sections ?? [];
  const schema = readFileSync(join(import.meta.dirname, '../src/config/config-file.ts'), 'utf8');
  const [profile = ''] = /const profile = [\s\S]*?^\);/m.exec(schema) ?? [];
  const keys = [...profile.matchAll(/\/\*\* (.+) \*\/\n +(\w+):/g)].map(([, comment, key]) => [key, comment]);
  expect(keys.length).toBeGreaterThan(4);
  const expected = [...(order?.entries ?? []), ...keys].map((entry) => entry.join('  ').replaceAll('`', ''));
  expect(tableRows('config-files.md')).toEqual(expect.arrayContaining(expected));
});

it.each([
  ['campaign ls', 'campaigns list'],
  ['collab view', 'collabs show'],
  ['org get', 'organizations show'],
  ['member ls', 'members list'],
  ['social-account view', 'social-accounts show'],
  ['token ls', 'tokens list'],
  ['address get', 'address show'],
])('of %s is that of %s', async (synonym, command) => {
  const { stdout } = await runCli([...command.split(' '), '--help'], { columns: 80 });
  expect((await runCli([...synonym.split(' '), '--help'], { columns: 80 })).stdout).toBe(stdout);
  expect((await runCli(['help', ...synonym.split(' ')], { columns: 80 })).stdout).toBe(stdout);
});

describe('for programs and AI assistants', () => {
  it('mkt commands --json describes every command with its flags and types', async () => {
    const { stdout } = await runCli(['commands', '--json']);
    const tree = JSON.parse(stdout);
    expect(tree.commands).toHaveLength(commands.flatMap((each) => (isGroup(each) ? each.commands() : [each])).length);
    expect(tree.exit_codes).toMatchObject({ 0: 'success, including an empty list' });
    const update = tree.commands.find(({ command }: { command: string }) => command === 'mkt campaigns update');
    expect(update.args).toMatchObject([{ name: 'id' }]);
    expect(update.flags).toContainEqual(expect.objectContaining({ name: 'cpm-amount', type: 'integer' }));
    expect(update.examples.length).toBeGreaterThan(0);
  });

  it('mkt commands takes the words of a group or a command', async () => {
    const { stdout } = await runCli(['commands', 'campaigns', 'update']);
    expect(stdout).toBe('mkt campaigns update            Change fields of a campaign\n');
    expect(await runCli(['commands', 'campaign'])).toMatchObject({ code: 2, stdout: '' });
    const narrow = await runCli(['commands'], { columns: 80 });
    expect(Math.max(...narrow.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('mkt help agents lists every command in at most 2,000 tokens', async () => {
    const { stdout } = await runCli(['help', 'agents']);
    for (const [group = '', leaf = ''] of paths) if (leaf !== '') expect(stdout).toContain(`  ${group} ${leaf} `);
    expect(stdout.split(/\s+|(?=[^\w\s])/).length).toBeLessThan(2000);
  });
});
