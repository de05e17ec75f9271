import { setTimeout as delay } from 'node:timers/promises';
import { CliError, interrupted } from '../../../errors/cli-error.js';
import { exitCodes } from '../../../errors/exit-codes.js';
import type { Answer, Asking, Probe, ReadingMethod } from '../probe.js';

/** Milliseconds at most that one 429 is waited for. */
const LONGEST_WAIT = 30_000;
/** After so many answers of 429 to one request there is no use in waiting. */
const PATIENCE = 5;

const rejected = (): CliError =>
  new CliError({
    code: 'token_rejected',
    exitCode: exitCodes.authentication,
    message: 'The service rejected your token: it is wrong, or it was revoked.',
    hints: ['What is wrong with it: mkt doctor'],
    status: 401,
  });

const slowDown = (): CliError =>
  new CliError({
    code: 'rate_limited',
    exitCode: exitCodes.rateLimited,
    message: 'Too many requests: the service asks to wait longer than this examination may take.',
    hints: ['Wait a while, then repeat', 'For one organization alone: mkt doctor --drift --org ID'],
    status: 429,
  });

export interface Asker {
  /**
   * One answer. A 429 is waited for; a connection that broke is tried once more, since proxies close idle ones.
   * @throws CliError where no answer comes, and where the token is not taken any more
   */
  readonly ask: (method: ReadingMethod, path: string, asking?: Asking) => Promise<Answer>;
  /** Whether the time for everything is up. */
  readonly late: () => boolean;
}

/** Asks until `end`, by the clock of `performance.now()`; `onAnswer` hears how many requests there were. */
export function askerFor(
  probe: Probe,
  end: number,
  { signal, onAnswer }: { signal: AbortSignal; onAnswer: (asked: number) => void },
): Asker {
  const once = async (method: ReadingMethod, path: string, asking: Asking): Promise<Answer> => {
    try {
      return await probe.ask(method, path, asking);
    } catch (error) {
      if (!(error instanceof CliError) || error.details.code !== 'network') throw error;
      return probe.ask(method, path, asking);
    }
  };
  const wait = async ({ headers }: Answer): Promise<void> => {
    const seconds = Number(headers.get('retry-after') ?? 1);
    const milliseconds = Math.min(Number.isFinite(seconds) ? Math.max(seconds, 0.1) * 1000 : 1000, LONGEST_WAIT);
    if (performance.now() + milliseconds > end) throw slowDown();
    await delay(milliseconds, undefined, { signal }).catch(() => {
      throw interrupted();
    });
  };
  return {
    late: () => performance.now() > end,
    ask: async (method, path, asking = {}) => {
      for (let attempt = 1; ; attempt += 1) {
        const answer = await once(method, path, asking);
        onAnswer(probe.asked);
        if (answer.status === 401 && asking.anonymous !== true) throw rejected();
        if (answer.status !== 429) return answer;
        if (attempt === PATIENCE) throw slowDown();
        await wait(answer);
      }
    },
  };
}
