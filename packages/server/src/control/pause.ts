/** The longest delay that timers take: a longer pause takes several. */
const longest = 2 ** 31 - 1;

/**
 * Waits `milliseconds`, or until one of the signals fires. It never rejects.
 * The timer keeps a Node process alive: a test that waits for an answer that never comes must not end as if it had passed.
 */
export function pause(milliseconds: number, signals: readonly AbortSignal[]): Promise<void> {
  if (signals.some(({ aborted }) => aborted)) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', end);
      resolve();
    };
    let timer: ReturnType<typeof setTimeout>;
    const wait = (left: number): void => {
      timer = setTimeout(() => (left > longest ? wait(left - longest) : end()), Math.min(left, longest));
    };
    wait(milliseconds);
    for (const signal of signals) signal.addEventListener('abort', end, { once: true });
  });
}
