import { describe, expect, it } from 'vitest';
import { isGroup } from '../src/commands/command.js';
import { commands } from '../src/commands/index.js';
import { runCli } from './support/run-cli.js';

const paths = commands.flatMap((command) => [
  [command.name],
  ...(isGroup(command) ? command.leaves.map((leaf) => [command.name, leaf.name]) : []),
]);

it.each([
  ['program', ['--help']],
  ['group', ['campaigns', '--help']],
  ['leaf', ['collabs', 'update', '--help']],
  ['list', ['campaigns', 'list', '--help']],
])('of a %s', async (name, argv) => {
  const { code, stdout, stderr } = await runCli(argv, { columns: 80 });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  await expect(stdout.replace(/mkt \d+\.\d+\.\d+/, 'mkt VERSION')).toMatchFileSnapshot(`goldens/help-${name}.txt`);
});

describe.each(paths.filter(([name]) => name !== 'serve').map((path) => [path.join(' '), path] as const))(
  'mkt %s',
  (line, path) => {
    it('explains itself in all ways of asking, within the width', async () => {
      const { code, stdout } = await runCli([...path, '--help'], { columns: 80 });
      expect(code).toBe(0);
      // Examples are to be copied whole, so they alone may be longer.
      const lines = stdout.split('\n').filter((text) => !text.startsWith('  mkt '));
      expect(lines.filter((text) => text.length > 80)).toEqual([]);
      expect(stdout).not.toMatch(/undefined|\bD\d\d\b|api\.md/);
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

it('is what a bare mkt and a bare group print', async () => {
  expect((await runCli([])).stdout).toBe((await runCli(['--help'])).stdout);
  expect((await runCli(['campaigns'])).stdout).toBe((await runCli(['campaigns', '--help'])).stdout);
});
