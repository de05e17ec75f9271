import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { widthOf } from '../src/text/width.js';
import { temporaryFolder } from './support/run-cli.js';
import { sharedService, startService, tokens } from './support/service.js';
import { hasTmux, NO_TMUX, readyPane } from './support/tmux.js';

vi.setConfig({ testTimeout: 40_000 });
if (!hasTmux) console.warn(NO_TMUX);

const { url, env } = sharedService();

describe.skipIf(!hasTmux)('in a real terminal', () => {
  it('prompts for the token without showing it, and for the organization, at login', async () => {
    const pane = await readyPane(80);
    pane.line(`mkt login --base-url ${url()}`);
    await pane.see('Paste your token');
    pane.type(tokens.ada_write);
    pane.press('Enter');
    await pane.see('Which organization do you work in?');
    expect(pane.screen()).not.toContain(tokens.ada_write);
    pane.press('Down', 'Enter');
    const screen = await pane.ended();
    expect(screen).toContain('Working in Initech Audio (organization 7).');
    pane.line('clear; mkt campaigns list');
    expect(await pane.ended()).toContain('No campaigns in Initech Audio.');
  });

  it('prompts for the organization before a list', async () => {
    const pane = await readyPane(80, env());
    pane.line('mkt collabs list --limit 2');
    await pane.see('Which organization?');
    pane.press('Enter');
    expect(await pane.ended()).toContain('2 of 23.');
  });

  it.each([
    ['n', 10, 'Cancelled; nothing was changed.'],
    ['y', 0, 'Deleted campaign 30 in Acme Cosmetics'],
  ])('prompts before a deletion; %s exits with %i', async (key, code, message) => {
    const pane = await readyPane(80, env());
    pane.line('mkt campaigns delete 30 --org 5; echo "code $?"');
    await pane.see('Really delete campaign 30');
    pane.press(key);
    await pane.see(`code ${code}`);
    expect(pane.screen()).toContain(message);
  });

  it('Ctrl-C in an editor is for the editor, and mkt goes on', async () => {
    const script = join(temporaryFolder(), 'editor.mjs');
    writeFileSync(
      script,
      `import { readFileSync, writeFileSync } from 'node:fs';
      process.on('SIGINT', () => {
        writeFileSync(process.argv[2], readFileSync(process.argv[2], 'utf8').replace(/^name: .*/m, 'name: Renamed'));
        process.exit();
      });
      console.log('editing');
      setInterval(() => {}, 1000);`,
    );
    const pane = await readyPane(80, { ...env(), VISUAL: `'${process.execPath}' ${script}` });
    pane.line('mkt campaigns edit 31 --org 5');
    await pane.see('editing');
    pane.press('C-c');
    expect(await pane.ended()).toContain('Updated name of campaign 31 "Renamed" in Acme Cosmetics');
  });

  it('restores the terminal and exits with 130 at Ctrl-C and Ctrl-D', async () => {
    const pane = await readyPane(80, env());
    for (const [key, plural, question] of [
      ['C-c', 'campaigns', 'Name of the campaign'],
      ['C-d', 'organizations', 'Name of the brand'],
    ] as const) {
      pane.line(`mkt ${plural} create --org 5; echo "${plural}: code $?"`);
      await pane.see(question);
      pane.press(key);
      expect(await pane.see(`${plural}: code 130`)).toContain('Cancelled; nothing was changed.');
    }
    pane.line('clear; echo "still here"');
    expect(await pane.ended()).toContain('still here');
  });

  it('continues a prompt after Ctrl-Z and fg', async () => {
    const pane = await readyPane(80, env());
    pane.line('mkt campaigns create --org 5');
    await pane.see('Name of the campaign');
    pane.type('Now and');
    await pane.see('Now and');
    pane.press('C-z');
    await pane.see('Stopped');
    pane.line('fg');
    pane.type(' then');
    await pane.see('Now and then');
    pane.press('Enter');
    await pane.see(/Created campaign \d+ "Now and then"/);
  });

  it('shows a spinner during a slow request, and erases it', async () => {
    const slow = await startService({ latency: 1500 });
    const pane = await readyPane(80, { ...env(), MKT_BASE_URL: slow.url });
    pane.line('clear; mkt campaigns show 1 --org 5 > /dev/null; echo "code $?"');
    await pane.see(/^[\u2800-\u28ff] Waiting for the service$/m);
    expect(await pane.ended()).toBe('code 0');
    pane.line('clear; mkt campaigns show 1 --org 5 2>&1 | cat -v | grep -c Waiting');
    expect(await pane.ended()).toBe('0');
    await slow.close();
  });

  it('offers the drafts to publish, and asks before it publishes', async () => {
    const pane = await readyPane(80, { ...env(), NO_COLOR: '1' });
    pane.line('clear; mkt campaigns publish --org 5');
    const screen = await pane.see('Which campaign?');
    expect(screen).toContain('Retinol, explained by nurses');
    expect(screen).not.toContain('Curl week');
    pane.press('Down', 'Enter');
    const question = await pane.see('Really publish campaign 2 ');
    expect(question).toContain('currency are then fixed (800 per 1,000 views');
    expect(question.split('\n').filter((line) => line.length > 80)).toEqual([]);
    pane.press('n');
    expect(await pane.ended()).toContain('Cancelled; nothing was changed.');
  });

  it('asks in whole lines in a terminal without a width', async () => {
    const pane = await readyPane(80, { ...env(), NO_COLOR: '1', MKT_ORG: '5' });
    pane.line('clear; stty cols 0 rows 0; mkt campaigns publish');
    await pane.see(/^│ {2}● .+ \(id 1\)$/m);
    pane.press('C-c');
    await pane.ended();
  });
  it('finds what is typed in a picker, and never acts on a row that does not match', async () => {
    const pane = await readyPane(80, { ...env(), NO_COLOR: '1' });
    pane.line('clear; mkt campaigns pause --org 5');
    await pane.see('Which campaign?');
    pane.type('kj');
    expect(await pane.see('(0 matches)')).not.toContain('(id ');
    pane.press('Enter');
    await pane.see('No row matches.');
    pane.press('C-u');
    pane.type('cURL');
    expect((await pane.see('(1 match)')).match(/\(id \d+\)/g)).toEqual(['(id 13)']);
    pane.press('Enter');
    await pane.see('Really pause campaign 13 "Curl week"?');
    // Letters other than y and n do not move the answer to "Yes".
    pane.type('jkhl');
    pane.press('Enter');
    expect(await pane.ended()).toContain('Cancelled; nothing was changed.');
    pane.line('clear; mkt campaigns pause --org 5');
    await pane.see('◆  Which campaign?');
    pane.type('13');
    pane.press('Enter');
    await pane.see('Really pause campaign 13 "Curl week"?');
    pane.press('n');
    expect(await pane.ended()).toContain('Cancelled; nothing was changed.');
  });

  it('shows progress while it reads, and erases it', async () => {
    const slow = await startService({ latency: 1500 });
    const pane = await readyPane(80, { ...env(), MKT_BASE_URL: slow.url });
    pane.line('clear; mkt campaigns list --org 5 --status paused');
    await pane.see(/Reading campaigns [█░]+ \d+ of 45/);
    const screen = await pane.ended();
    expect(screen).not.toContain('Reading campaigns');
    expect(screen).toContain('3 found, 45 searched.');
    await slow.close();
  });

  it('shows no progress on the line of a row', async () => {
    const slow = await startService({ latency: 400 });
    const pane = await readyPane(80, { ...env(), MKT_BASE_URL: slow.url });
    pane.line('clear; mkt export members --org 5 --format csv --fields user.name,role');
    expect(await pane.ended()).toBe('user.name,role\nAda Okafor,admin\nBen Ito,admin\nCleo Martin,member');
    await slow.close();
  });

  it('prints the URL to open if no browser can be started', async () => {
    const pane = await readyPane(80, { ...env(), NO_COLOR: '1' });
    pane.line('clear; PATH=/nowhere mkt open tokens; echo "code $?"');
    expect(await pane.ended()).toBe(
      `${url()}/me/access_tokens\nwarning: No browser could be started. Open the URL above yourself.\ncode 0`,
    );
  });

  it('shows long text in the pager of MKT_PAGER', async () => {
    const pane = await readyPane(80, { ...env(), NO_COLOR: '1', MKT_PAGER: 'head -2 | tr a-z A-Z' });
    pane.line('stty rows 20; clear; mkt campaigns list --org 5 --all 2>/dev/null');
    expect(await pane.ended()).toMatch(/^ID +NAME.*\n1 +SUMMER UGC CAMPAIGN.*$/);
  });

  it.each([
    [80, ''],
    [120, ''],
    // Some terminals in editors and containers have no width.
    [80, 'stty cols 0; '],
  ])('wraps no line at %i columns, and cuts no id %s', async (columns, before) => {
    const pane = await readyPane(columns, { ...env(), NO_COLOR: '1', MKT_ORG: '5' });
    const resources = 'campaigns collabs members tokens organizations social-accounts';
    pane.line(`clear; ${before}for plural in ${resources}; do echo "= $plural"; mkt $plural list 2>/dev/null; done`);
    const [, ...lists] = (await pane.ended()).split(/^= /m);
    const counts = lists.map((list) => {
      const [plural, _header, ...rows] = list.trimEnd().split('\n');
      for (const row of rows) {
        expect(row).toMatch(/^(\d+|mem_5_\w+) {2}/);
        // The terminal's lines come joined where it had to break one.
        expect(widthOf(row)).toBeLessThanOrEqual(columns);
      }
      return [plural, rows.length];
    });
    expect(Object.fromEntries(counts)).toEqual({
      campaigns: 20,
      collabs: 20,
      members: 3,
      tokens: 2,
      organizations: 2,
      'social-accounts': 3,
    });
  });
});
