import type { Io } from '../io/io.js';

/**
 * Shows a text that is longer than the screen in the pager (MKT_PAGER), and waits until it ends; false if the text is
 * shorter or the pager could not be started.
 */
export async function showInPager({ env, stdout }: Io, text: string): Promise<boolean> {
  if (text.split('\n').length <= stdout.rows) return false;
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
