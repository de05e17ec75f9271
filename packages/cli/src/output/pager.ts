import type { Io } from '../io/io.js';

/** Whether a pager is set (MKT_PAGER) and the text is longer than the screen. */
export const wantsPager = ({ env, stdout }: Io, text: string): boolean =>
  Boolean(env.MKT_PAGER) && stdout.isTTY && text.split('\n').length > stdout.rows;

/** Shows the text in the pager and waits until it ends; false if it could not be started. */
export async function showInPager({ env }: Io, text: string): Promise<boolean> {
  // Loaded here, because few commands use a pager.
  const { spawn } = await import('node:child_process');
  return new Promise((resolve) => {
    const pager = spawn(env.MKT_PAGER ?? '', {
      shell: true,
      stdio: ['pipe', 'inherit', 'inherit'],
      // -R passes colors through, -F prints text that fits on the screen.
      env: { LESS: 'FRX', ...env },
    });
    // The user may quit before all text is written.
    pager.stdin.on('error', () => undefined);
    pager.on('error', () => resolve(false));
    // A shell ends with 127 when it does not find the command.
    pager.on('close', (code) => resolve(code !== 127));
    pager.stdin.end(text);
  });
}
