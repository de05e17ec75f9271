import * as z from 'zod/mini';
import { sought, text } from './matching.js';

const count = (least: number) =>
  z.int('must be a whole number').check(z.minimum(least, `must be a whole number of at least ${least}`));

const match = z.strictObject(sought, 'takes operation, method, path and user');

const on = z.literal(true, 'must be true');
const status = z
  .int('must be a status from 400 to 599')
  .check(z.minimum(400, 'must be a status from 400 to 599'), z.maximum(599, 'must be a status from 400 to 599'));
const named = z.enum(['hang', 'drop', 'malformed', 'wrongType', 'staleEtag']);
const effect = z.union(
  [
    z.strictObject({
      status,
      retryAfter: z.optional(count(0)),
      message: z.optional(text),
      errors: z.optional(z.record(z.string(), z.array(z.string()))),
    }),
    z.strictObject({ delay: count(0) }),
    z.strictObject({ truncate: count(0) }),
    z.strictObject({ slowBody: count(1) }),
    z.strictObject({ hang: on }),
    z.strictObject({ drop: on }),
    z.strictObject({ malformed: on }),
    z.strictObject({ wrongType: on }),
    z.strictObject({ staleEtag: on }),
    named,
  ],
  'must be one effect: { status: 503, retryAfter?, message?, errors? }, { delay: ms }, { hang: true }, { drop: true }, { truncate: bytes }, { malformed: true }, { wrongType: true }, { slowBody: bytesPerSecond } or { staleEtag: true }',
);

const rule = {
  match: z.optional(match),
  effect,
  times: z.optional(count(1)),
  after: z.optional(count(0)),
  every: z.optional(count(1)),
};
export const faultRule = z.strictObject(rule, 'takes match, effect, times, after and every');

/** A fault as a snapshot has it, with its counts. */
export const countedFault = z.strictObject({ ...rule, id: text, seen: count(0), hits: count(0) }, 'must be a fault');

/** Which requests a fault is for: those that have all of this. */
export interface FaultMatch {
  /** The name of the endpoint, as in the SDK: `campaigns.create`. */
  readonly operation?: string | undefined;
  /** In upper or lower case. */
  readonly method?: string | undefined;
  /** The path without its query, with or without `.json`; `*` stands for anything. */
  readonly path?: string | undefined;
  /** Id or e-mail address of the user whose token is sent. */
  readonly user?: string | undefined;
}

/**
 * What happens to a request that a fault is for; exactly one of these. `status`, `hang` and `drop` stand before the
 * marketplace: nothing is done. The others let it do its work and spoil the answer; what has no body stays as it is.
 */
export type FaultEffect =
  /** Refused in the API's own error shape; `errors` are a 422's messages by field, `retryAfter` is in seconds. */
  | {
      readonly status: number;
      readonly retryAfter?: number | undefined;
      readonly message?: string | undefined;
      readonly errors?: Readonly<Record<string, readonly string[]>> | undefined;
    }
  /** Answered as usual, so many milliseconds later. */
  | { readonly delay: number }
  /** Never answered. It ends when the client gives up, or when faults are cleared. */
  | { readonly hang: true }
  /** The connection breaks before any answer. */
  | { readonly drop: true }
  /** The connection breaks after so many bytes of the body. */
  | { readonly truncate: number }
  /** Complete, but half of the JSON is missing. */
  | { readonly malformed: true }
  /** An HTML page in the place of the JSON, with the status unchanged: what a captive portal does. */
  | { readonly wrongType: true }
  /** The body arrives at so many bytes a second. */
  | { readonly slowBody: number }
  /** A 304 for any If-None-Match, whether or not the thing has changed: what a broken cache does. Others are not matched. */
  | { readonly staleEtag: true }
  /** Short for those that need no number. */
  | 'hang'
  | 'drop'
  | 'malformed'
  | 'wrongType'
  | 'staleEtag';

/** A fault on demand. It counts, it never leaves anything to chance. */
export interface FaultRule {
  /** Every request when absent. */
  readonly match?: FaultMatch | undefined;
  readonly effect: FaultEffect;
  /** How often it strikes; without end when absent. */
  readonly times?: number | undefined;
  /** So many matching requests are let through first; 0 when absent. */
  readonly after?: number | undefined;
  /** Of the ones after that, it strikes each n-th; each one when absent. */
  readonly every?: number | undefined;
}

/** A fault that was added. */
export interface Fault extends FaultRule {
  readonly id: string;
  /** Matching requests that reached it. */
  readonly seen: number;
  /** How often it struck. */
  readonly hits: number;
}
