import { vi } from 'vitest';
import type { CallerTurns } from '../../src/http/turns.js';

/** For those who wait for no turn. */
export const noTurns: CallerTurns = {
  start: () => undefined,
  resume: () => undefined,
  end: () => undefined,
  identified: () => undefined,
  loading: async (_headers, _connection, load) => void (await load()),
};

/** How often `work` lets other requests have their turn. */
export async function yieldsOf<Result>(work: () => Promise<Result>): Promise<{ result: Result; yields: number }> {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  try {
    const result = await work();
    return { result, yields: timers.mock.calls.filter(([, delay]) => delay === undefined).length };
  } finally {
    timers.mockRestore();
  }
}

/**
 * Some turns of the event loop: listeners in this process have read what was sent to them. Within one machine that is
 * there at once, so no time has to pass, however busy the machine is.
 */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
