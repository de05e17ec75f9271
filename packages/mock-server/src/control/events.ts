import { reported } from './errors.js';
import type { LoggedRequest, RequestLog } from './request-log.js';

/** A request, when its response is sent; or a change of the faults and their counts, the clock, the delay, the data or the users. */
export type ControlEvent =
  | {
      readonly kind: 'request';
      readonly request: LoggedRequest;
      /** A copy, whose body can be read once. */
      readonly response: Response;
    }
  | { readonly kind: 'faults' | 'clock' | 'latency' | 'data' | 'users' };

type Listener = (event: ControlEvent) => void;

/** Who listens to changes. */
export class Events {
  readonly #listeners = new Set<Listener>();

  emit(...kinds: readonly Exclude<ControlEvent['kind'], 'request'>[]): void {
    for (const listener of this.#listeners) for (const kind of kinds) reported(() => listener({ kind }));
  }

  /** Calls the listener with changes, but not with requests. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** @returns a function that ends this */
  subscribe(requests: RequestLog, listener: Listener): () => void {
    const end = requests.subscribe((request, response) =>
      listener({ kind: 'request', request, response: response.clone() }),
    );
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      end();
    };
  }
}
