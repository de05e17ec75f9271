import { ConfigurationError } from '../errors.js';
import type { CallOptions, UploadOptions } from '../options.js';
import type { Answer } from './attempt.js';
import type { Operation } from './operation.js';

/** What `fetch` sends. Taken from `RequestInit`, which Node's types know too: programs without the DOM's types compile. */
export type Body = NonNullable<RequestInit['body']>;

/** What a call that sends JSON carries. */
export function jsonBody({ operation }: Operation, value: unknown): Pick<Call, 'body' | 'headers'> {
  return {
    body: () => {
      try {
        return JSON.stringify(value);
      } catch (cause) {
        throw new ConfigurationError(`${operation}: the fields cannot be written as JSON.`, { cause });
      }
    },
    headers: { 'content-type': 'application/json' },
  };
}

/** A call of an operation: where it goes and what it carries. */
export interface Call<Item = unknown> {
  operation: Operation<Item>;
  /** Whole address, query included. */
  url: string;
  /** Makes the body, when the call starts. */
  body?: (() => Body | Promise<Body>) | undefined;
  headers?: Record<string, string>;
  /** Address whose kept answer is out of date once this call was made. Default its own. */
  outdates?: string;
  options: CallOptions & UploadOptions;
}

/** An answer with how it came about. */
export interface Received extends Answer {
  attempts: number;
  fromCache: boolean;
  /** Takes the token out of a text, for errors and logs. */
  redact: (text: string) => string;
}
