import { endpoints } from '@mkt/sdk/contract';
import * as z from 'zod/mini';

// What faults and the request log look for in a request. A name that no request can have is refused: a rule, or a look at
// the log, that never fits would pass for an answer.
const operations: ReadonlySet<string> = new Set(endpoints.map(({ operation }) => operation));
const methods: readonly string[] = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'];

export const text = z.string('must be a text').check(z.minLength(1, 'must not be empty'));
export const operation = text.check(
  z.refine(
    (name) => operations.has(name),
    'is none of the API; operations are named as in the SDK, such as campaigns.list',
  ),
);
/** In upper or lower case. Preflights, which are the browser's, are neither struck nor logged. */
export const method = text.check(
  z.refine((name) => methods.includes(name.toUpperCase()), `must be ${methods.slice(0, -1).join(', ')} or DELETE`),
);
export const pathPattern = text.check(z.regex(/^[/*]/, 'must begin with /, or with * for anything'));

const withoutSuffix = (path: string): string => path.replace(/\.json$/, '');

/** Whether `path` is `pattern`, in which `*` stands for anything; both with or without `.json`. */
export function pathMatches(pattern: string, path: string): boolean {
  const parts = withoutSuffix(pattern).split('*');
  const expression = parts.map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')).join('.*');
  return new RegExp(`^${expression}$`).test(withoutSuffix(path));
}
