import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './run-cli.js';
import { bundle } from './spawn-cli.js';

/** Whether this machine can show a terminal. */
export const hasTmux = spawnSync('tmux', ['-V']).status === 0;
export const NO_TMUX = 'tmux is not installed here, so nothing was typed into a real terminal.';

const PROMPT = 'ready$ ';

export interface Pane {
  /** Types a line and presses Enter. */
  line(text: string): void;
  /** Presses keys by tmux's names: `Down`, `Enter`, `C-c`. */
  press(...keys: readonly string[]): void;
  /** Types text without Enter. */
  type(text: string): void;
  /** What is to be seen, without trailing blanks. */
  screen(): string;
  /** Waits until the screen shows this. */
  see(wanted: string | RegExp): Promise<string>;
  /** Waits until the command has ended; gives the screen without the prompt that follows. */
  ended(): Promise<string>;
}

/** A real terminal with bash in it, in which `mkt` is the built program. A home is kept between panes when it is given. */
export function openPane(columns: number, env: Readonly<Record<string, string>> = {}, home = temporaryFolder()): Pane {
  const socket = `mkt-${randomUUID()}`;
  const tmux = (...args: readonly string[]) =>
    execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], { encoding: 'utf8' });
  const given = {
    HOME: home,
    TERM: 'tmux-256color',
    PATH: process.env.PATH ?? '',
    LANG: 'C.UTF-8',
    HISTFILE: '/dev/null',
    MKT_NO_KEYRING: '1',
    ...env,
  };
  const shell = [
    'env',
    '-i',
    ...Object.entries(given).map(([name, value]) => `${name}=${value}`),
    'bash',
    '--norc',
    '--noprofile',
  ];
  tmux('-u', 'new-session', '-d', '-x', String(columns), '-y', '70', ...shell);
  onTestFinished(() => {
    spawnSync('tmux', ['-L', socket, 'kill-server']);
  });
  // The prompt sets the title to the number of the next command: a new prompt differs from that of the command before.
  const look = () => {
    const [title, ...lines] = tmux('display-message', '-p', '#{pane_title}', ';', 'capture-pane', '-p', '-J').split(
      '\n',
    );
    const text = lines.map((line) => line.trimEnd()).join('\n');
    return { title, text: text.trimEnd() };
  };
  const screen = () => look().text;
  let before: string | undefined;
  const until = async (done: (text: string, title?: string) => boolean, wanted: string): Promise<string> => {
    const deadline = Date.now() + 20_000;
    for (;;) {
      const { text, title } = look();
      if (done(text, title)) return text;
      if (Date.now() > deadline) throw new Error(`Not seen within 20 s: ${wanted}\n${text}`);
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
  };
  const pane: Pane = {
    line: (text) => {
      before = look().title;
      tmux('send-keys', '-l', text);
      tmux('send-keys', 'Enter');
    },
    press: (...keys) => {
      for (const key of keys) tmux('send-keys', key);
    },
    type: (text) => {
      tmux('send-keys', '-l', text);
    },
    screen,
    see: (wanted) =>
      until((text) => (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text)), String(wanted)),
    ended: async () => {
      const text = await until(
        (shown, title) => title !== before && shown.split('\n').length > 1 && shown.endsWith(PROMPT.trimEnd()),
        'the prompt',
      );
      return text.slice(0, text.lastIndexOf('\n'));
    },
  };
  pane.line(`mkt() { '${process.execPath}' '${bundle}' "$@"; }; PS1='\\[\\e]2;\\#\\a\\]${PROMPT}'; clear`);
  return pane;
}

/** Waits for the first prompt. */
export async function readyPane(...given: Parameters<typeof openPane>): Promise<Pane> {
  const pane = openPane(...given);
  await pane.see(/^ready\$/);
  return pane;
}
