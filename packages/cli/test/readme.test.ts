import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Server } from '@mkt/server/node';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from './support/run-cli.js';
import { PUBLIC_URL, startService, tokens } from './support/service.js';
import { hasTmux, NO_TMUX, openPane } from './support/tmux.js';

vi.setConfig({ testTimeout: 120_000 });
if (!hasTmux) console.warn(NO_TMUX);

const README = join(import.meta.dirname, '../README.md');
const COLUMNS = 100;

let service: Server;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** What the person does while a command asks: the text to wait for, then what to type. */
const answers: Readonly<Record<string, readonly (readonly [question: string, typed: string])[]>> = {
  'mkt login': [
    ['Paste your token', tokens.ada_write],
    ['Which organization', ''],
  ],
  'mkt campaigns publish 48': [['Really publish', 'y']],
  'mkt campaigns delete': [['Really delete', 'y']],
  'mkt apply': [['Make these changes', 'y']],
  'mkt import campaigns --org 7': [['Create these 2 campaigns', 'y']],
};

/** Token prompts that wait for a key and not for Enter. */
const ONE_KEY = ['y', 'n'];

/** A machine of one's own has a keychain; this one keeps the token in a file, which sign-in.test.ts looks at. */
const KEYCHAIN = 'The token is stored in the keychain of this computer.';

const update = 'To update the examples of the README: npx vitest run --project cli readme -u';

interface Step {
  readonly command: string;
  readonly screen: string;
}

/** The `console` blocks: what follows `$ ` is typed, the rest is what the screen shows then. */
const stepsOf = (text: string): Step[] =>
  [...text.matchAll(/^```console\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command = '', ...screen] = part.trimEnd().split('\n');
        return { command, screen: screen.join('\n').trimEnd() };
      }),
  );

describe.skipIf(!hasTmux)('the README', () => {
  it('shows what a new user sees', async () => {
    const home = temporaryFolder();
    const calm = (text: string) =>
      text
        .replaceAll(service.url, PUBLIC_URL)
        .replaceAll(home, '/home/ada')
        .replaceAll(/request [\w-]+/g, 'request Zk3vQ8-1c')
        .replace(/The token is stored unencrypted in \S+\s+which\s+only\s+you\s+can\s+read\./, KEYCHAIN);
    const readme = readFileSync(README, 'utf8');
    const steps = stepsOf(readme);
    expect(steps.length).toBeGreaterThan(12);
    const seen: Step[] = [];
    for (const { command } of steps) {
      const pane = openPane(COLUMNS, { NO_COLOR: '1' }, home);
      await pane.see(/^ready\$/);
      const typed = command.replaceAll(PUBLIC_URL, service.url);
      pane.line(`clear; cd ~; ${typed}`);
      for (const [name, questions] of Object.entries(answers)) {
        if (!command.startsWith(name)) continue;
        for (const [question, answer] of questions) {
          await pane.see(question);
          if (answer !== '') pane.type(answer);
          if (!ONE_KEY.includes(answer)) pane.press('Enter');
        }
      }
      seen.push({ command, screen: calm(await pane.ended()).trimEnd() });
    }
    let next = 0;
    const updated = readme.replaceAll(/^```console\n[\s\S]*?^```$/gm, (block) => {
      const count = block.split(/^\$ /m).length - 1;
      const parts = seen.slice(next, next + count);
      next += count;
      return `\`\`\`console\n${parts.map(({ command, screen }) => `$ ${command}\n${screen}`.trimEnd()).join('\n\n')}\n\`\`\``;
    });
    await expect(updated, update).toMatchFileSnapshot(README);
    expect(existsSync(join(home, 'campaigns.csv'))).toBe(true);
  });
});
