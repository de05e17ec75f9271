/** How long changes that were sent may still be answered after Ctrl-C, in milliseconds. */
const GRACE_MS = 5000;
/** The longest pause between the requests of one change, such as an action and the reading after it, in milliseconds. */
const PAUSE_MS = 100;

/**
 * Ends requests after Ctrl-C or another signal: immediately while nothing is being changed, otherwise once the changes that
 * were sent have been answered, so that no one has to guess what became of them.
 */
export class RunningRequests {
  /** Commands that run in one process share a signal, which has one listener then. */
  static readonly #bySignal = new WeakMap<AbortSignal, RunningRequests>();

  /** The requests that this signal ends. @param onWait called if requests are waited for, with their number */
  static endedBy(interrupted: AbortSignal, onWait: (count: number) => void): RunningRequests {
    const found = RunningRequests.#bySignal.get(interrupted) ?? new RunningRequests(interrupted);
    RunningRequests.#bySignal.set(interrupted, found);
    found.#onWait = onWait;
    return found;
  }

  readonly #end = new AbortController();
  readonly #interrupted: AbortSignal;
  #running = 0;
  /** Whether something is being changed: from the first such request until there was a pause. */
  #isChanging = false;
  #pause: NodeJS.Timeout | undefined;
  #onWait: (count: number) => void = () => undefined;

  private constructor(interrupted: AbortSignal) {
    this.#interrupted = interrupted;
    const stop = (): void => {
      if (this.#isChanging) {
        if (this.#running > 0) this.#onWait(this.#running);
        setTimeout(() => this.#end.abort(), GRACE_MS).unref();
      } else this.#end.abort();
    };
    if (interrupted.aborted) stop();
    else interrupted.addEventListener('abort', stop, { once: true });
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  follow<Result>(method: string, request: Promise<Result>): Promise<Result> {
    clearTimeout(this.#pause);
    if (method !== 'GET' && method !== 'HEAD') this.#isChanging = true;
    this.#running += 1;
    const end = (): void => {
      this.#running -= 1;
      if (this.#running === 0) this.#pause = this.#afterPause();
    };
    request.then(end, end);
    return request;
  }

  #afterPause(): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#isChanging = false;
      if (this.#interrupted.aborted) this.#end.abort();
    }, PAUSE_MS);
    // The end of a command does not wait for it.
    return this.#interrupted.aborted ? timer : timer.unref();
  }
}
