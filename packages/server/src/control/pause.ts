/** The longest delay that timers take; a pause without end renews it. */
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
    const wait = (): ReturnType<typeof setTimeout> =>
      milliseconds === Number.POSITIVE_INFINITY
        ? setTimeout(() => {
            timer = wait();
          }, longest)
        : setTimeout(end, milliseconds);
    let timer = wait();
    for (const signal of signals) signal.addEventListener('abort', end, { once: true });
  });
}
