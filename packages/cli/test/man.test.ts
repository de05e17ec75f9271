import { spawnSync } from 'node:child_process';
import { beforeAll, expect, it } from 'vitest';
import { manPages } from '../../../tools/release/man.mjs';
import { isGroup } from '../src/context/command.js';
import { commands } from '../src/root/commands.js';

let pages: Map<string, string>;
beforeAll(async () => {
  pages = await manPages({ version: '1.2.3', date: '2026-11-23' });
});

it('has mkt.1 and a page for each group, and every command in one of them', () => {
  const groups = commands.filter(isGroup);
  expect([...pages.keys()]).toEqual(['mkt.1', ...groups.map(({ name }) => `mkt-${name}.1`)]);
  const hasCommand = (page: string, words: string) =>
    expect(pages.get(page)?.replaceAll('\\-', '-')).toMatch(new RegExp(`^\\.SS "mkt ${words}[ "]`, 'm'));
  for (const node of commands) {
    if (!isGroup(node)) hasCommand('mkt.1', node.name);
    else for (const { name } of node.commands()) hasCommand(`mkt-${node.name}.1`, `${node.name} ${name}`);
  }
});

it('has the version, flags from the contract, and the topics of the help', () => {
  expect(pages.get('mkt.1')).toContain('.TH "MKT" 1 "2026-11-23" "mkt 1.2.3"');
  expect(pages.get('mkt.1')).toContain('.SH "EXIT CODES"');
  expect(pages.get('mkt-campaigns.1')).toContain('\\fB\\-\\-cpm\\-amount\\fR');
});

it.skipIf(spawnSync('mandoc', ['-h']).error !== undefined)('passes the checks of mandoc', () => {
  for (const [name, content] of pages) {
    const { stdout, stderr } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning'], {
      input: content,
      encoding: 'utf8',
    });
    expect(stdout + stderr, name).toBe('');
  }
});
