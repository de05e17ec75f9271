import type { OperationName } from '@mkt/sdk/contract';
import * as z from 'zod/mini';
import { type Method, sought, text } from './matching.js';

const count = (least: number) =>
  z.int('must be a whole number').check(z.minimum(least, `must be a whole number, ${least} or more`));

const match = z.strictObject(sought, 'accepts only operation, method, path and user');

const on = z.literal(true, 'must be true');
const status = z
  .int('must be a status from 400 to 599')
  .check(z.minimum(400, 'must be a status from 400 to 599'), z.maximum(599, 'must be a status from 400 to 599'));
const range = 'must be milliseconds from 0, or two of them: the least and the most';
const milliseconds = z.number(range).check(z.minimum(0, range));
/** Milliseconds, or the least and the most of them. */
export const duration = z.union(
  [milliseconds, z.tuple([milliseconds, milliseconds]).check(z.refine(([least, most]) => least <= most, range))],
  range,
);
const patch = z.custom<Patch>(
  (value) => typeof value === 'function' || (typeof value === 'object' && value !== null && !Array.isArray(value)),
  'must be an object with the fields to replace, or a function',
);
const named = z.enum(['hang', 'drop', 'malformed', 'wrongType', 'staleEtag']);
const delay = z.optional(duration);
const effect = z.union(
  [
    z.strictObject({
      delay,
      status,
      retryAfter: z.optional(count(0)),
      message: z.optional(text),
      errors: z.optional(z.record(z.string(), z.array(z.string()))),
    }),
    z.strictObject({ delay: duration }),
    z.strictObject({ delay, truncate: count(0) }),
    z.strictObject({ delay, slowBody: count(1) }),
    z.strictObject({ delay, patch }),
    z.strictObject({ delay, hang: on }),
    z.strictObject({ delay, drop: on }),
    z.strictObject({ delay, malformed: on }),
    z.strictObject({ delay, wrongType: on }),
    z.strictObject({ delay, staleEtag: on }),
    named,
  ],
  'must be one effect: { status: 503, retryAfter?, message?, errors? }, { delay: ms }, { patch: fields }, { hang: true }, { drop: true }, { truncate: bytes }, { malformed: true }, { wrongType: true }, { slowBody: bytesPerSecond } or { staleEtag: true }; each also with a delay',
);

const rule = {
  match: z.optional(match),
  effect,
  times: z.optional(count(1)),
  after: z.optional(count(0)),
  every: z.optional(count(1)),
};
export const faultRule = z.strictObject(rule, 'accepts only match, effect, times, after and every');

/** A fault in a snapshot, with its counts. */
export const countedFault = z.strictObject({ ...rule, id: text, seen: count(0), hits: count(0) }, 'must be a fault');

/** Matches requests that have all given properties. */
export interface FaultMatch {
  /** The name of the endpoint, as in the SDK: `campaigns.create`. */
  readonly operation?: OperationName | undefined;
  readonly method?: Method | Lowercase<Method> | undefined;
  /** The path without its query, with or without `.json`; `*` matches anything. */
  readonly path?: string | undefined;
  /** Id or e-mail address of the user whose token is sent. */
  readonly user?: string | undefined;
}

/** Milliseconds, or the least and the most: such delays are spread evenly, and are the same in every run. */
export type Milliseconds = number | readonly [least: number, most: number];

/**
 * Fields that replace those of the response, in a list those of every item; or a function that gets the JSON and returns
 * other JSON. Functions are only possible in the mock, and are not part of snapshots.
 */
export type Patch = Readonly<Record<string, unknown>> | ((json: never) => unknown);

interface Delayed {
  /** The effect comes this much later. */
  readonly delay?: Milliseconds | undefined;
}

/**
 * The effect of a fault on a request: one of these, each also with a `delay`. With `status`, `hang` and `drop`, the request
 * never reaches the marketplace. The others change the response; responses without a body stay as they are.
 */
export type FaultEffect =
  | (Delayed &
      (
        | /** Rejected in the API's error format. `errors` are the messages of a 422 by field, `retryAfter` is in seconds. */
        {
            readonly status: number;
            readonly retryAfter?: number | undefined;
            readonly message?: string | undefined;
            readonly errors?: Readonly<Record<string, readonly string[]>> | undefined;
          }
        /** The JSON of a successful response, changed. It has no ETag. */
        | { readonly patch: Patch }
        /** No response. Ends when the client gives up, or when faults are cleared. */
        | { readonly hang: true }
        /** The connection is closed before the response. */
        | { readonly drop: true }
        /** The connection is closed after this many bytes of the body. */
        | { readonly truncate: number }
        /** A complete response with half of the JSON missing. */
        | { readonly malformed: true }
        /** An HTML page instead of the JSON, with the same status, like a captive portal. */
        | { readonly wrongType: true }
        /** The body arrives at this many bytes per second. */
        | { readonly slowBody: number }
        /** A 304 for every If-None-Match, like a broken cache. Requests without the header are not matched. */
        | { readonly staleEtag: true }
      ))
  /** The normal response, later. */
  | { readonly delay: Milliseconds }
  /** Short forms of effects without a value. */
  | 'hang'
  | 'drop'
  | 'malformed'
  | 'wrongType'
  | 'staleEtag';

/** A fault to inject. Deterministic: it applies by counting requests. */
export interface FaultRule {
  /** By default every request. */
  readonly match?: FaultMatch | undefined;
  readonly effect: FaultEffect;
  /** How many requests it applies to; unlimited by default. */
  readonly times?: number | undefined;
  /** How many matching requests to skip first. @default 0 */
  readonly after?: number | undefined;
  /** Applies to every n-th of the remaining requests. @default 1 */
  readonly every?: number | undefined;
}

/** A fault that was added. */
export interface Fault extends FaultRule {
  readonly id: string;
  /** How many matching requests reached it. */
  readonly seen: number;
  /** How many requests it was applied to. */
  readonly hits: number;
}
