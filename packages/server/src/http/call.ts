import type { Exchange } from './exchange.js';

/** A request on its way to its answer, as faults and the request log see it. */
export interface Call {
  readonly exchange: Exchange;
  /** The endpoint that it is for; null where none is at its path. */
  operation(): string | null;
  /** The owner of its token; null where there is none. */
  user(): Promise<string | null>;
  /** What the app answers. */
  answer(): Promise<Response>;
  /** The answer to a request that fails with `error`, in the form that was asked for. */
  refuse(error: Error): Promise<Response>;
}

/** Stands around every answer. */
export type Around = (call: Call) => Promise<Response>;
