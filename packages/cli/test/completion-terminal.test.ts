import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Server } from '@mkt/server/node';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from './support/run-cli.js';
import { startService, tokens } from './support/service.js';
import { bundle } from './support/spawn-cli.js';
import { hasTmux, NO_TMUX, type Pane, readyPane } from './support/tmux.js';

vi.setConfig({ testTimeout: 60_000 });
if (!hasTmux) console.warn(NO_TMUX);

let service: Server;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Each shell without the settings of this machine: where it reads the script from, and how it is started. */
const shells: Readonly<Record<string, { readonly file: string; readonly text: string; readonly start: string }>> = {
  bash: { file: '.bashrc', text: "source ~/.local/share/bash-completion/completions/mkt; PS1='> '", start: 'bash' },
  zsh: { file: '.zshrc', text: "source ~/.local/share/mkt/completion.zsh; PS1='> '", start: 'zsh -d' },
  fish: {
    file: '.config/fish/functions/fish_prompt.fish',
    text: "function fish_prompt; echo '> '; end",
    start: 'fish',
  },
};

/** A home in which `mkt` is a program on the PATH, signed in by the environment. */
async function paneIn(folder: string): Promise<Pane> {
  mkdirSync(join(folder, 'bin'));
  const program = join(folder, 'bin', 'mkt');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${bundle}' "$@"\n`);
  chmodSync(program, 0o755);
  const env = {
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    MKT_TOKEN: tokens.ada_write,
    MKT_BASE_URL: service.url,
    MKT_ORG: '5',
  };
  return readyPane(100, env, folder);
}

describe.skipIf(!hasTmux)('Tab in', () => {
  for (const [shell, { file, text, start }] of Object.entries(shells)) {
    const missing = spawnSync(shell, ['--version']).error !== undefined;
    if (missing) console.warn(`${shell} is not installed here, so Tab was not pressed in it.`);
    it.skipIf(missing)(`${shell} completes commands, flags, ids, names, addresses and files`, async () => {
      const folder = temporaryFolder();
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), `${text}\n`);
      // Without it fish reads every manual page of this machine in the background.
      mkdirSync(join(folder, '.local/share/fish/generated_completions'), { recursive: true });
      writeFileSync(join(folder, 'autumn.csv'), 'name\n');
      const pane = await paneIn(folder);
      pane.line(
        `mkt members list -q >/dev/null; mkt collabs list -q >/dev/null; mkt campaigns list -q --limit 15; mkt completion install ${shell}`,
      );
      const listed = await pane.ended();
      const [, id = '', name = ''] = /^(\d+) +(\S+)/m.exec(listed) ?? [];
      expect(name).not.toBe('');
      pane.line(`cd; clear; exec ${start}`);
      await pane.see(/^> *$/m);
      const newPrompt = async () => {
        // The first one may end what Tab still does, and not the line.
        const emptied = () => {
          pane.press('C-c');
          expect(pane.screen()).toMatch(/(^|\n)>$/);
        };
        await vi.waitFor(emptied, { timeout: 20_000, interval: 200 });
        pane.line('clear');
        await pane.see(/^>$/);
      };
      pane.type('mkt camp');
      pane.press('Tab');
      await pane.see('mkt campaigns');
      pane.type('publ');
      pane.press('Tab');
      await pane.see('mkt campaigns publish');
      await newPrompt();
      pane.type('mkt campaigns show ');
      pane.press('Tab', 'Tab');
      const screen = await pane.see(new RegExp(`${id}.*${name}`));
      expect(screen).not.toContain('error');
      await newPrompt();
      // With an apostrophe, a colon, within quotes, and in another letter case.
      const names = [
        ['mkt campaigns show moth', /Mother\\'s\\ Day\\ gift\\ sets/],
        ['mkt campaigns show "Moth', /Mother'?\\?'s.+gift.+sets/],
        ['mkt collabs show "hydra', /Hydra\\? Serum:\\? thirty\\? days/],
        ['mkt collabs show Hydra\\ s', /Hydra\\ Serum:\\ thirty\\ days/],
      ] as const;
      for (const [typed, completed] of names) {
        pane.type(typed);
        pane.press('Tab');
        await pane.see(completed);
        await newPrompt();
      }
      pane.type('mkt campaigns list --country ch');
      pane.press('Tab');
      await pane.see('--country CH');
      await newPrompt();
      pane.type('mkt campaigns list --stat');
      pane.press('Tab');
      await pane.see('--status');
      pane.type('dr');
      pane.press('Tab');
      await pane.see(/--status draft/);
      await newPrompt();
      pane.type('mkt members remove cl');
      pane.press('Tab');
      await pane.see('mkt members remove cleo@acme.example');
      await newPrompt();
      pane.type('mkt import campaigns --file=aut');
      pane.press('Tab');
      await pane.see('--file=autumn.csv');
    });
  }
});
