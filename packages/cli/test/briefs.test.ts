import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { adaWithService } from './support/ada.js';
import { scriptedPrompter } from './support/prompter.js';
import { temporaryFolder } from './support/run-cli.js';

const { ada, json } = adaWithService();

const text = 'Dear creators,\nshow your **morning**.\n\nYou need:\n- a phone\n- light\n';
const html =
  '<p>Dear creators,<br>\nshow your <strong>morning</strong>.</p>\n<p>You need:</p>\n<ul>\n<li>a phone</li>\n<li>light</li>\n</ul>';

function fileWith(name: string, content: string): { readonly folder: string; readonly path: string } {
  const folder = temporaryFolder();
  const path = join(folder, name);
  writeFileSync(path, content);
  return { folder, path };
}

const briefOf = async (id: number) => (await json('campaigns', 'show', String(id))).brief;

describe('a brief in plain text or Markdown becomes HTML', () => {
  it('from --brief, as words, from a file and from stdin', async () => {
    const { path } = fileWith('summer.md', `\ufeff${text.replaceAll('\n', '\r\n')}`);
    expect(await json('campaigns', 'create', '--name', 'A', '--brief', `@${path}`)).toMatchObject({ brief: html });
    expect(await json('campaigns', 'update', '1', '--brief', 'One.\n\nTwo.')).toMatchObject({
      brief: '<p>One.</p>\n<p>Two.</p>',
    });
    const piped = await ada(['collabs', 'create', '--brief', '@-', '--json'], { stdin: text });
    expect(JSON.parse(piped.stdout)).toMatchObject({ brief: html });
  });

  it('from -f', async () => {
    const { path } = fileWith('campaign.yaml', `name: A\nbrief: |\n  ${text.trimEnd().replaceAll('\n', '\n  ')}\n`);
    expect(await json('campaigns', 'create', '-f', path)).toMatchObject({ brief: html });
  });

  it('in a cell of an imported file', async () => {
    const { path } = fileWith('rows.csv', `name,brief\nA,"${text}"\n`);
    expect((await ada(['import', 'campaigns', '-f', path, '--yes'])).code).toBe(0);
    expect(await briefOf(48)).toBe(html);
  });

  it('in the editor', async () => {
    const { path } = fileWith(
      'editor.mjs',
      `import { readFileSync, writeFileSync } from 'node:fs';
       const path = process.argv[2];
       writeFileSync(path, readFileSync(path, 'utf8').replace(/\\n---\\n[^]*/, ${JSON.stringify(`\n---\n${text}`)}));`,
    );
    const screen = await ada(['campaigns', 'edit', '1'], {
      columns: 80,
      answers: scriptedPrompter(),
      env: { EDITOR: `"${process.execPath}" ${path}` },
    });
    expect(screen.code).toBe(0);
    expect(await briefOf(1)).toBe(html);
  });

  it('in a declaration, on which a second run finds 0 changes', async () => {
    const { path, folder } = fileWith('plan.yaml', 'campaigns: [{id: 1, brief: "@summer.md"}, {id: 3, brief: One}]');
    writeFileSync(join(folder, 'summer.md'), text);
    const plan = await ada(['apply', path, '--dry-run']);
    expect(plan.stdout).toContain('      + show your morning.\n');
    expect(plan.stdout).toContain('      + - a phone\n');
    expect(plan.stdout).not.toMatch(/<\/?(p|li|strong)>/);
    expect((await ada(['apply', path, '--yes'])).code).toBe(0);
    expect([await briefOf(1), await briefOf(3)]).toEqual([html, '<p>One</p>']);
    expect(await json('apply', path, '--dry-run')).toMatchObject({ up_to_date: true });
  });

  it('but not in a copy, nor in what mkt pull declares', async () => {
    await ada(['api', 'organizations/5/campaigns/1.json', '-X', 'PATCH', '-f', 'campaign[brief]=One.\n\nTwo *stars*.']);
    expect(await briefOf(1)).toBe('One.\n\nTwo *stars*.');
    expect((await json('campaigns', 'copy', '1')).brief).toBe('One.\n\nTwo *stars*.');
    const path = join(temporaryFolder(), 'brand.yaml');
    await ada(['pull', '--out', path]);
    expect(await json('apply', path, '--dry-run')).toMatchObject({ up_to_date: true });
  });
});

it('keeps a brief that is HTML as it is', async () => {
  const { path } = fileWith('brief.html', '<p>One</p>\n\n- two');
  expect(await json('campaigns', 'update', '1', '--brief', `@${path}`)).toMatchObject({ brief: '<p>One</p>\n\n- two' });
});

it('shows the tags of a brief in a plan only if nothing else differs', async () => {
  const { path } = fileWith('plan.yaml', 'campaigns: [{id: 1, brief: "<p>Glow <b>now</b></p>"}]');
  await ada(['campaigns', 'update', '1', '--brief', '<p>Glow now</p>']);
  expect((await ada(['apply', path, '--dry-run'])).stdout).toContain(
    '      - <p>Glow now</p>\n      + <p>Glow <b>now</b></p>\n',
  );
});

describe('a brief that is the name of a file', () => {
  it('is a usage error without a terminal', async () => {
    const { path } = fileWith('summer.md', text);
    const before = await briefOf(1);
    for (const terminal of [{}, { columns: 80, answers: scriptedPrompter(), env: { MKT_NO_INPUT: '1' } }]) {
      const screen = await ada(['campaigns', 'update', '1', '--brief', path], terminal);
      expect(screen).toMatchObject({ code: 2, stdout: '' });
      expect(screen.stderr.replaceAll(/\s+/g, '')).toContain(`--brief@${path}`);
    }
    expect(await briefOf(1)).toBe(before);
  });

  it('is a usage error if there is no such file', async () => {
    const before = await briefOf(1);
    const screen = await ada(['campaigns', 'update', '1', '--brief', 'brief.md']);
    expect(screen).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no file brief.md.') });
    expect(await briefOf(1)).toBe(before);
  });

  it('is asked about on a terminal', async () => {
    const { path } = fileWith('summer.md', text);
    const update = async (answer: string) => {
      const answers = scriptedPrompter(answer);
      const { code } = await ada(['campaigns', 'update', '1', '--brief', path], { columns: 80, answers });
      return { code, asked: answers.asked, brief: await briefOf(1) };
    };
    const asked = [`--brief: ${path} is a file. What is the brief?`];
    expect(await update('file')).toEqual({ code: 0, asked, brief: html });
    expect(await update('words')).toEqual({ code: 0, asked, brief: `<p>${path}</p>` });
  });

  it.each([
    [
      'apply',
      (path: string) => ['apply', path, '--yes'],
      'campaigns: [{id: 1, brief: summer.md}]',
      ':1:28: brief is the name of a file. To send its text: "@summer.md".',
    ],
    [
      'create -f',
      (path: string) => ['campaigns', 'create', '-f', path],
      'name: A\nbrief: summer.md',
      ':2:8: brief is the name of a file. To send its text: --brief @summer.md.',
    ],
    [
      'import',
      (path: string) => ['import', 'campaigns', '-f', path, '--yes'],
      'name,brief\nA,summer.md\n',
      ': "brief" is the name of a file. Put its text into the cell.',
    ],
  ])('is a problem of the file in mkt %s', async (command, argvOf, content, message) => {
    const { path, folder } = fileWith(command === 'import' ? 'rows.csv' : 'fields.yaml', content);
    writeFileSync(join(folder, 'summer.md'), text);
    const { code, stderr } = await ada(argvOf(path));
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});
