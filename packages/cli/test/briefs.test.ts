import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allowedElements } from '@mkt/server/rich-text';
import { describe, expect, it } from 'vitest';
import { adaWithService } from './support/ada.js';
import { scriptedPrompter } from './support/prompter.js';
import { temporaryFolder } from './support/run-cli.js';

const { ada, json } = adaWithService();

const text = 'Dear creators,\nshow your **morning**.\n\nYou need:\n- a phone\n- light\n';
const html =
  '<p>Dear creators,\nshow your <strong>morning</strong>.</p>\n<p>You need:</p>\n<ul>\n<li>a phone</li>\n<li>light</li>\n</ul>';

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
    expect(plan.stdout).toContain('      + Dear creators, show your morning.\n');
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

describe('the format of a brief', () => {
  const create = async (content: string, name: string, ...argv: readonly string[]) =>
    json('campaigns', 'create', '--name', 'A', '--brief', `@${fileWith(name, content).path}`, ...argv);

  it.each([
    ['the ending of its file', '# *a*<h2>b</h2>', 'a.html', [], '# *a*<h2>b</h2>'],
    ['the ending of its file', '<p>\n\n# b\n\n</p>', 'a.md', [], '<p>\n</p><h1>b</h1>\n'],
    ['its start', '<p># b</p>', 'a.txt', [], '<p># b</p>'],
    ['--brief-format, whatever its file is', '# a\nb', 'a.html', ['--brief-format', 'text'], '<p># a<br>\nb</p>'],
    ['--brief-format', '<p>*a*</p>', 'a.txt', ['--brief-format', 'text'], '<p>&lt;p&gt;*a*&lt;/p&gt;</p>'],
  ])('is that of %s', async (_title, content, name, argv, brief) => {
    expect(await create(content, name, ...argv)).toMatchObject({ brief });
  });

  const inFile = {
    '-f': (format: string) => ['fields.yaml', `name: A\nbrief: "# *a*"\nbrief_format: ${format}`],
    apply: (format: string) => ['plan.yaml', `campaigns: [{name: A, brief: "# *a*", brief_format: ${format}}]`],
    import: (format: string) => ['rows.csv', `name,brief,brief_format\nA,# *a*,${format}\n`],
  } as const;
  const argvOf = {
    '-f': (path: string) => ['campaigns', 'create', '-f', path],
    apply: (path: string) => ['apply', path, '--yes'],
    import: (path: string) => ['import', 'campaigns', path, '--yes'],
  } as const;
  it.each(['-f', 'apply', 'import'] as const)('is brief_format in the file of %s', async (command) => {
    const [name = '', content = ''] = inFile[command]('text');
    expect((await ada(argvOf[command](fileWith(name, content).path))).code).toBe(0);
    expect(await briefOf(48)).toBe('<p># *a*</p>');
    const [, wrong = ''] = inFile[command]('docx');
    const { code, stderr } = await ada(argvOf[command](fileWith(name, wrong).path));
    expect(stderr).toMatch(/brief_format"? must be one of html, markdown, text\./);
    expect(code).toBe(2);
  });

  it('of a file in a declaration is that of its ending, unless brief_format names another', async () => {
    const { path, folder } = fileWith(
      'plan.yaml',
      'campaigns: [{name: A, brief: "@a.html"}, {name: B, brief: "@a.html", brief_format: markdown}]',
    );
    writeFileSync(join(folder, 'a.html'), '# a');
    expect((await ada(['apply', path, '--yes'])).code).toBe(0);
    expect([await briefOf(48), await briefOf(49)].sort()).toEqual(['# a', '<h1>a</h1>']);
  });

  it.each([
    [['--brief-format', 'text'], '--brief-format needs --brief.'],
    [['--brief', 'a', '--brief-format', 'rtf'], 'html, markdown, text'],
  ])('is a usage error: %j', async (argv, message) => {
    const { code, stderr } = await ada(['campaigns', 'update', '1', ...argv]);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});

describe('what is not stored of a brief is named', () => {
  const lossy = '<p>a <a href="file:///b">b</a> <img src="file:///c.png"></p><iframe src="/d"></iframe>';
  const message = 'the service left out of the brief';
  const parts = '1 link, 1 image, 1 <iframe>.';

  it('after create, update, update of several, copy and import', async () => {
    const { path } = fileWith('rows.csv', `name,brief\nA,"${lossy.replaceAll('"', '""')}"\nB,<p>b</p>\n`);
    for (const argv of [
      ['campaigns', 'create', '--name', 'A', '--brief', lossy],
      ['campaigns', 'update', '1', '--brief', lossy],
      ['campaigns', 'update', '1', '2', '--brief', lossy, '--yes'],
      ['campaigns', 'copy', '1', '--brief', lossy],
      ['import', 'campaigns', path, '--yes'],
    ]) {
      const { code, stderr } = await ada([...argv, '--quiet']);
      expect(stderr.toLowerCase(), argv.join(' ')).toContain(message);
      expect(stderr).toContain(parts);
      expect(stderr.split(parts)).toHaveLength(argv.includes('2') ? 3 : 2);
      expect(code).toBe(0);
    }
    const kept = await ada(['campaigns', 'update', '1', '--brief', '<p>a</p>']);
    expect(kept.stderr).not.toContain(message);
  });

  it('after apply, which shows what will be stored, and then why the texts differ', async () => {
    const { path } = fileWith('plan.yaml', `campaigns: [{id: 1, brief: '${lossy}'}]`);
    const first = await ada(['apply', path, '--yes']);
    expect(first.stdout).not.toContain('file:///');
    expect(first.stderr).toContain(`The service left out of the brief of campaign 1 "Summer UGC Campaign": ${parts}`);
    const second = await ada(['apply', path, '--yes']);
    expect(second.stdout).toContain('1 unchanged');
    expect(second.stderr).toBe(
      `${path}:1: the brief also has 1 link, 1 image, 1 <iframe>, which the service leaves out.\n`,
    );
  });

  it('if it is front matter', async () => {
    const withProperties = '---\ntitle: A\n---\n# B\n';
    const sentence = 'the front matter of the brief (the lines between ---) was left out.';
    const { path, folder } = fileWith('brief.md', withProperties);
    const created = await ada(['campaigns', 'create', '--name', 'A', '--brief', `@${path}`]);
    expect(created.stderr).toContain(sentence);
    expect(await briefOf(48)).toBe('<h1>B</h1>');
    writeFileSync(join(folder, 'plan.yaml'), 'campaigns:\n  - id: 1\n    brief: "@brief.md"\n');
    const applied = await ada(['apply', join(folder, 'plan.yaml'), '--yes']);
    expect(applied.stderr).toContain(`plan.yaml:3: ${sentence}`);
    writeFileSync(join(folder, 'rows.csv'), `name,brief\nC,"${withProperties}"\n`);
    const imported = await ada(['import', 'campaigns', join(folder, 'rows.csv'), '--dry-run']);
    expect(imported.stderr).toContain(`Line 2: ${sentence}`);
  });

  it('if it is hidden text', async () => {
    const argv = ['campaigns', 'create', '--name', 'A', '--brief', '<p>a<span style="mso-hide:all">b</span></p>'];
    expect((await ada(argv)).stderr).toContain('the hidden text of the brief was left out.');
    expect(await briefOf(48)).toBe('<p>a</p>');
  });
});

it('sends a brief without what Word adds, which does not count for the limit', async () => {
  const clutter = `<style>${'p {}'.repeat(20_000)}</style><!--${'x'.repeat(70_000)}-->`;
  const { path } = fileWith('brief.html', `<html><head><title>T</title>${clutter}</head><body><p>a</p></body></html>`);
  expect(await json('campaigns', 'update', '1', '--brief', `@${path}`)).toMatchObject({ brief: '<div><p>a</p></div>' });
});

it('lists the allowed elements in the help', async () => {
  const { stdout } = await ada(['help', 'briefs']);
  for (const element of allowedElements) expect(stdout.replaceAll(/\s+/g, ' ')).toContain(element);
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
