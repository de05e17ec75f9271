import { endpoints } from '@mkt/sdk/contract';
import * as z from 'zod/mini';

// What faults and the request log look for in a request. A name that no request can have is refused: a rule, or a look at
// the log, that never fits would pass for an answer.
const operations: ReadonlySet<string> = new Set(endpoints.map(({ operation }) => operation));
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE']);

export const text = z.string('must be a text').check(z.minLength(1, 'must not be empty'));
export const sought = {
  operation: z.optional(
    text.check(
      z.refine(
        (name) => operations.has(name),
        'is none of the API; operations are named as in the SDK, such as campaigns.list',
      ),
    ),
  ),
  /** In upper or lower case. Preflights, which are the browser's, are neither struck nor logged. */
  method: z.optional(
    text.check(z.refine((name) => methods.has(name.toUpperCase()), `must be one of ${[...methods].join(', ')}`)),
  ),
  path: z.optional(
    text.check(
      z.refine((path) => /^[/*][^?#]*$/.test(path), 'must begin with /, or with * for anything, and have no query'),
    ),
  ),
  user: z.optional(text),
};

const withoutSuffix = (path: string): string => path.replace(/\.json$/, '');

/** Whether `path` is `pattern`, in which `*` stands for anything; both with or without `.json`. */
export function pathMatches(pattern: string, path: string): boolean {
  const parts = withoutSuffix(pattern).split('*');
  const expression = parts.map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')).join('.*');
  return new RegExp(`^${expression}$`).test(withoutSuffix(path));
}
