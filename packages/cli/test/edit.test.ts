import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { adaWithService } from './support/ada.js';
import { scriptedPrompter } from './support/prompter.js';
import { temporaryFolder } from './support/run-cli.js';
import { tokens } from './support/service.js';

const { ada, json, url } = adaWithService();

type Replacement = readonly [from: string, to: string];

/** An editor that makes these replacements, one list each time it is opened, and remembers the texts it was shown. */
function editor(...edits: readonly (readonly Replacement[])[]) {
  const folder = temporaryFolder();
  const script = join(folder, 'editor.mjs');
  const log = join(folder, 'log.json');
  writeFileSync(
    script,
    `import { existsSync, readFileSync, writeFileSync } from 'node:fs';
    const log = ${JSON.stringify(log)};
    const seen = existsSync(log) ? JSON.parse(readFileSync(log, 'utf8')) : [];
    const path = process.argv[2];
    let text = readFileSync(path, 'utf8');
    const edits = ${JSON.stringify(edits)};
    writeFileSync(log, JSON.stringify([...seen, { path, text }]));
    for (const [from, to] of edits[seen.length]) {
      if (!text.includes(from)) { console.error('The text does not contain ' + from); process.exit(1); }
      text = text.replace(from, () => to);
    }
    writeFileSync(path, text);`,
  );
  const seen = (): { path: string; text: string }[] => JSON.parse(readFileSync(log, 'utf8'));
  return { command: `"${process.execPath}" ${script}`, seen };
}

/** Runs `mkt RESOURCE edit ID` on a terminal. */
async function edit(
  line: string,
  edits: readonly (readonly Replacement[])[],
  {
    answers = scriptedPrompter(),
    more = [],
  }: { answers?: ReturnType<typeof scriptedPrompter>; more?: readonly string[] } = {},
) {
  const { command, seen } = editor(...edits);
  const screen = await ada([...line.split(' '), ...more], { columns: 100, answers, env: { EDITOR: command } });
  return { ...screen, seen: seen() };
}

describe('mkt campaigns edit', () => {
  it('shows the fields as YAML and the brief as HTML, fixed fields as comments', async () => {
    const draft = await edit('campaigns edit 1', [[]]);
    const published = await edit('campaigns edit 3', [[]]);
    // A field without a value has a line of its own, which would change the files with each new field.
    const withValues = (text = '') => text.replaceAll(/^\w+:(?: \[\])?\n(?! )/gm, '');
    await expect(withValues(draft.seen[0]?.text)).toMatchFileSnapshot('goldens/edit-draft.txt');
    await expect(withValues(published.seen[0]?.text)).toMatchFileSnapshot('goldens/edit-published.txt');
    expect(published.seen[0]?.text).toMatch(/^tiktok_music_id:$/m);
  });

  it('sends only what was changed', async () => {
    const before = await json('campaigns', 'show', '1');
    const { code, stderr, seen } = await edit('campaigns edit 1', [
      [
        ['name: Summer UGC Campaign', 'name: Autumn UGC Campaign'],
        ['\n---\n', '\n---\n<p>Hello.</p>\n'],
      ],
    ]);
    expect(stderr).toBe('Updated name, brief of campaign 1 "Autumn UGC Campaign" in Acme Cosmetics\n');
    expect(code).toBe(0);
    const after = await json('campaigns', 'show', '1');
    expect(after.brief).toContain('<p>Hello.</p>');
    expect(after).toEqual({
      ...before,
      name: 'Autumn UGC Campaign',
      brief: after.brief,
      updated_at: after.updated_at,
    });
    expect(existsSync(dirname(seen[0]?.path ?? ''))).toBe(false);
  });

  it.each([
    ['an unchanged file', []],
    ['the same values in another form', [['name: Summer UGC Campaign', 'name:   "Summer UGC Campaign" # same']]],
    ['a field that is left out', [['name: Summer UGC Campaign\n', '']]],
  ] as const)('sends nothing for %s', async (_, replacements) => {
    const before = await json('campaigns', 'show', '1');
    const { code, stderr } = await edit('campaigns edit 1', [replacements]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'Nothing to change in campaign 1 "Summer UGC Campaign".\n' });
    expect(await json('campaigns', 'show', '1')).toEqual(before);
  });

  it('sends nothing for an empty file', async () => {
    const folder = temporaryFolder();
    const script = join(folder, 'empty.sh');
    writeFileSync(script, ': > "$1"\n');
    const { code, stderr } = await ada(['campaigns', 'edit', '1'], {
      columns: 100,
      answers: scriptedPrompter(),
      env: { VISUAL: `sh ${script}`, EDITOR: 'false' },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'Nothing to change in campaign 1 "Summer UGC Campaign".\n' });
  });

  it('clears a field that is left empty', async () => {
    const { website } = await json('campaigns', 'show', '3');
    const { stderr } = await edit('campaigns edit 3', [[[`website: ${website}`, 'website:']]]);
    expect(stderr).toContain('Updated website of campaign 3');
    expect(await json('campaigns', 'show', '3')).toMatchObject({ website: null });
  });

  it('shows all problems with their positions, then opens the editor with the same text again', async () => {
    const answers = scriptedPrompter('edit');
    const { code, stderr, seen } = await edit(
      'campaigns edit 1',
      [
        [
          ['name: Summer UGC Campaign', 'nam: Summer'],
          ['currency: usd', 'currency: usdd'],
          ['cpm_amount: ', 'status: active\ncpm_amount: x'],
        ],
        [
          ['nam: Summer', 'name: Corrected'],
          ['currency: usdd', 'currency: eur'],
          ['status: active\ncpm_amount: x', 'cpm_amount: '],
        ],
      ],
      { answers },
    );
    expect(answers.asked).toEqual(['What next?']);
    expect(stderr).toMatch(/4 problems in campaign-1\.html\. Nothing was changed\./);
    expect(stderr).toMatch(/campaign-1\.html:5:1: unknown key "nam"\. Did you mean name\?/);
    expect(stderr).toMatch(/campaign-1\.html:\d+:1: status is read-only\. Leave it out\./);
    expect(stderr).toMatch(/campaign-1\.html:\d+:\d+: currency must be/);
    expect(stderr).toMatch(/campaign-1\.html:\d+:\d+: cpm_amount must be/);
    expect(seen[1]?.text).toContain('nam: Summer');
    expect(code).toBe(0);
    expect(await json('campaigns', 'show', '1')).toMatchObject({ name: 'Corrected', currency: 'eur' });
  });

  it('shows the line of a brief that is too long', async () => {
    const { seen } = await edit('campaigns edit 1', [[]]);
    const lines = seen[0]?.text.split('\n') ?? [];
    const long = `<p>${'x'.repeat(70_000)}</p>`;
    const { code, stderr } = await edit('campaigns edit 1', [[['\n---\n', `\n---\n${long}\n`]]], {
      answers: scriptedPrompter('stop'),
    });
    expect(code).toBe(10);
    expect(stderr).toContain(`campaign-1.html:${lines.lastIndexOf('---') + 2}: brief must`);
  });

  it('shows what the service rejects in the same way', async () => {
    const { code, stderr, seen } = await edit(
      'campaigns edit 1',
      [[['min_payout_amount: ', 'min_payout_amount: 99999']]],
      { answers: scriptedPrompter('stop') },
    );
    expect(code).toBe(10);
    expect(stderr).toMatch(/campaign-1\.html:\d+:\d+: min_payout_amount must be at most/);
    expect(stderr).toContain('Cancelled; nothing was changed.');
    const path = seen[0]?.path ?? '';
    expect(stderr).toContain(`Your text is in ${path}`);
    expect(readFileSync(path, 'utf8')).toContain('min_payout_amount: 99999');
  });

  it.each([
    ['<p>Only the brief</p>', 'the fields must be between two lines of three dashes'],
    ['---\njust text\n---\n', 'each field must be a line such as name: Summer.'],
  ])('reports a file that is only %j', async (text, message) => {
    const { seen } = await edit('campaigns edit 1', [[]]);
    const replacement = [seen[0]?.text ?? '', text] as const;
    const { code, stderr } = await edit('campaigns edit 1', [[replacement]], { answers: scriptedPrompter('stop') });
    expect({ code, stderr }).toEqual({ code: 10, stderr: expect.stringContaining(message) });
  });

  it('does not overwrite what someone else has changed meanwhile', async () => {
    const { command, seen } = editor([['name: Summer UGC Campaign', 'name: Mine']]);
    const update = `fetch(process.env.URL_OF_CAMPAIGN, { method: 'PATCH', headers: { authorization: 'Bearer ${tokens.ada_write}', accept: 'application/json', 'content-type': 'application/json' }, body: JSON.stringify({ campaign: { name: 'Theirs' } }) })`;
    const other = join(temporaryFolder(), 'other.mjs');
    writeFileSync(
      other,
      `await ${update.replace('process.env.URL_OF_CAMPAIGN', JSON.stringify(`${url()}/organizations/5/campaigns/1.json`))};`,
    );
    const { code, stderr } = await ada(['campaigns', 'edit', '1'], {
      columns: 200,
      answers: scriptedPrompter(),
      env: { EDITOR: `"${process.execPath}" ${other} && ${command}` },
    });
    expect(code).toBe(6);
    expect(stderr).toContain('Campaign 1 has changed since you opened it. Your changes were not sent.');
    expect(stderr).toContain('mkt campaigns edit 1');
    expect(readFileSync(seen()[0]?.path ?? '', 'utf8')).toContain('name: Mine');
    expect(await json('campaigns', 'show', '1')).toMatchObject({ name: 'Theirs' });
  });

  it('is the first of nano, vi and notepad that is installed, if none is set', async () => {
    const folder = temporaryFolder();
    for (const name of ['vi', 'nano'])
      writeFileSync(join(folder, name), `#!/bin/sh\nsed -i 's/^name: .*/name: With ${name}/' "$1"\n`, { mode: 0o755 });
    const terminal = { columns: 200, answers: scriptedPrompter(), env: { PATH: `/nowhere:${folder}` } };
    const { stderr } = await ada(['campaigns', 'edit', '1'], terminal);
    expect(stderr).toContain('Updated name of campaign 1 "With nano"');
  });
  it('reports an editor that does not exist', async () => {
    const env = { EDITOR: 'no-such-editor' };
    const { stderr } = await ada(['campaigns', 'edit', '1'], { columns: 200, answers: scriptedPrompter(), env });
    expect(stderr).toContain('The editor "no-such-editor" was not found. Nothing was changed.');
    expect(stderr).toContain('export EDITOR=COMMAND');
  });
  it('keeps the text if the editor fails', async () => {
    const { code, stderr } = await ada(['campaigns', 'edit', '1'], {
      columns: 200,
      answers: scriptedPrompter(),
      env: { EDITOR: 'false' },
    });
    expect(code).toBe(1);
    expect(stderr).toContain('The editor "false" ended with code 1. Nothing was changed.');
    expect(existsSync(/Your text is in (\S+)/.exec(stderr)?.[1] ?? '')).toBe(true);
  });

  it.each([
    ['a terminal', {}, 'An editor needs an interactive terminal.'],
    ['an editor', { columns: 80, answers: scriptedPrompter() }, 'No editor was found: VISUAL and EDITOR are empty.'],
  ])('is a usage error without %s', async (_, terminal, message) => {
    const { code, stdout, stderr } = await ada(['campaigns', 'edit', '1'], terminal);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

it('collabs can be edited too, as data for programs', async () => {
  const { code, stdout } = await edit('collabs edit 3', [[['require_spark_ads: ', 'require_spark_ads: true #']]], {
    more: ['--json'],
  });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ id: 3, require_spark_ads: true });
});
