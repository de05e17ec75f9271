import { endpoints, type OperationName } from '@mkt/sdk/contract';
import type { Exchange, PendingRequest } from '@mkt/server';
import { checked } from './errors.js';
import { sought } from './matching.js';
import type { Entry, Override } from './operation-types.js';

/** The overridden operations, newest first. */
export class Overrides {
  #entries: readonly Entry[] = [];

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** @returns a function that removes it */
  add(operation: OperationName, override: Override): () => void {
    checked('operation', sought.operation, operation);
    const entry = { operation, override };
    this.#entries = [entry, ...this.#entries];
    return () => {
      this.#entries = this.#entries.filter((other) => other !== entry);
    };
  }

  clear(): void {
    this.#entries = [];
  }

  /** The response of an override; undefined if there is none. */
  async respond({ exchange, operation }: PendingRequest): Promise<Response | undefined> {
    const called = await operation();
    const endpoint = endpoints.find(({ operation: name }) => name === called);
    const found = this.#entries.filter((entry) => entry.operation === endpoint?.operation);
    if (!endpoint || found.length === 0) return undefined;
    exchange.operation ??= endpoint.operation;
    return (await import('./run-overrides.js')).responseOf(found, exchange, endpoint.status);
  }
}

/** Errors in the caller's own code: overrides and patches. They are a 500 for the client, so they must show elsewhere too. */
export class Failures {
  readonly #reasons = new WeakMap<Exchange, string>();

  reasonFor(exchange: Exchange): string | undefined {
    return this.#reasons.get(exchange);
  }

  /** Runs the caller's code, and rethrows its error. */
  async report<Result>(exchange: Exchange, what: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (!this.#reasons.has(exchange)) {
        this.#reasons.set(exchange, `${what} threw: ${error instanceof Error ? error.message : error}`);
        console.error(`[mkt mock] ${what} threw for ${exchange.method} ${exchange.url.pathname}:`, error);
      }
      throw error;
    }
  }
}
