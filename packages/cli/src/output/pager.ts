import type { Io } from '../io/io.js';

/** Whether the person wants a pager (MKT_PAGER) and the text is taller than the terminal. */
export const wantsPager = ({ env, stdout }: Io, text: string): boolean =>
  Boolean(env.MKT_PAGER) && stdout.isTTY && text.split('\n').length > stdout.rows;

/** Shows the text in the pager and waits until it is left; false where it could not be started. */
export async function showInPager({ env }: Io, text: string): Promise<boolean> {
  // Loaded here: every command asks whether a pager is wanted, few use one.
  const { spawn } = await import('node:child_process');
  return new Promise((resolve) => {
    const pager = spawn(env.MKT_PAGER ?? '', {
      shell: true,
      stdio: ['pipe', 'inherit', 'inherit'],
      // Colours pass, and a text that fits after all is just printed.
      env: { LESS: 'FRX', ...env },
    });
    // Whoever quits early does not want the rest.
    pager.stdin.on('error', () => undefined);
    pager.on('error', () => resolve(false));
    // A shell ends with 127 when it does not find the command.
    pager.on('close', (code) => resolve(code !== 127));
    pager.stdin.end(text);
  });
}
