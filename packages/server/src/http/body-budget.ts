import { HttpError } from './problems.js';
import { type Caller, type CallerTurns, payerOf } from './turns.js';

/** Bodies above this size are uploads. A caller may send few at once. */
const uploadSize = 64 * 1024;
const maxUploads = 4;
/** Next to the uploads, for the others: a form that is rejected loses what was typed. */
const reserve = 1.25;

/** The memory that one body uses until its request ends. */
export interface BodyLease {
  /** Adds received bytes. @throws 429, 503 */
  grow(bytes: number): void;
  /** Waits for a part of the body. @throws 408 */
  inTime<Part>(read: () => Promise<Part>): Promise<Part>;
  /** Waits until the body may be processed; undefined if it may be now. */
  turn(): Promise<void> | undefined;
  end(): void;
}

/** Milliseconds that a body may take, and in which it must grow. */
export interface BodyTimes {
  readonly total: number;
  readonly idle: number;
}

const busy = (status: 429 | 503, message: string) => new HttpError(status, message, { 'Retry-After': '5' });

const tooSlow = () =>
  new HttpError(408, 'The body of the request did not arrive in time. Send it again.', { Connection: 'close' });

/** Limits the memory of all bodies that a process receives at once, and the share of each caller: at most a third of it. */
export class BodyBudget {
  #used = 0;
  readonly #callers = new Map<string, { bytes: number; uploads: number }>();

  constructor(
    private readonly maxBytes: number,
    private readonly times: BodyTimes = { total: 60_000, idle: 10_000 },
    private readonly turns?: CallerTurns,
  ) {}

  lease(caller: Caller): BodyLease {
    const payer = payerOf(caller);
    // Looked up each time: requests that begin together have one usage.
    const usageNow = () => this.#callers.get(payer) ?? { bytes: 0, uploads: 0 };
    const deadline = performance.now() + this.times.total;
    let held = 0;
    let isStarted = false;
    return {
      grow: (bytes) => {
        const usage = usageNow();
        const isNewUpload = held <= uploadSize && held + bytes > uploadSize;
        const factor = held + bytes > uploadSize ? 1 : reserve;
        if (isNewUpload && usage.uploads >= maxUploads)
          throw busy(429, `You send more than ${maxUploads} uploads at once. Try again when one of them has ended.`);
        if (usage.bytes + bytes > (factor * this.maxBytes) / 3)
          throw busy(429, 'You send too much at once. Try again when some of your requests have ended.');
        if (this.#used + bytes > factor * this.maxBytes)
          throw busy(503, 'The server is receiving too much at once. Try again in a few seconds.');
        if (isNewUpload) usage.uploads += 1;
        held += bytes;
        usage.bytes += bytes;
        this.#used += bytes;
        this.#callers.set(payer, usage);
      },
      inTime: async (read) => {
        let timer: ReturnType<typeof setTimeout> | undefined;
        const late = new Promise<never>((_, reject) => {
          const left = Math.min(this.times.idle, deadline - performance.now());
          timer = setTimeout(() => reject(tooSlow()), left);
        });
        return Promise.race([read(), late]).finally(() => clearTimeout(timer));
      },
      turn: () => {
        isStarted = true;
        return this.turns?.start(caller);
      },
      end: () => {
        if (isStarted) this.turns?.end(caller);
        const usage = usageNow();
        if (held > uploadSize) usage.uploads -= 1;
        usage.bytes -= held;
        this.#used -= held;
        held = 0;
        if (usage.bytes === 0) this.#callers.delete(payer);
      },
    };
  }
}
