import { endpoints, type OperationName } from '@mkt/sdk/contract';
import * as z from 'zod/mini';

// Properties that faults and the request log match. Names that no request can have are rejected: a rule or filter that
// never matches would go unnoticed.
const operations: readonly string[] = endpoints.map(({ operation }) => operation);
const methodNames = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'] as const;
const methods: ReadonlySet<string> = new Set(methodNames);
type Method = (typeof methodNames)[number];

/** How many parts of three letters a name has in common with another. */
const similarity = (name: string, other: string): number =>
  [...name].filter((_, index) => other.includes(name.slice(index, index + 3))).length;

export const text = z.string('must be text').check(z.minLength(1, 'must not be empty'));
export const sought = {
  /** The name of the endpoint, as in the SDK: `campaigns.create`. */
  operation: z.optional(
    z.custom<OperationName>((name) => operations.includes(name as string), {
      error({ input }) {
        const [best] = operations.toSorted((a, b) => similarity(`${input}`, b) - similarity(`${input}`, a));
        return `is not an operation of the API; the most similar is ${best}`;
      },
    }),
  ),
  /** In uppercase or lowercase. Preflights are sent by browsers, so they get no faults and are not logged. */
  method: z.optional(
    z.custom<Method | Lowercase<Method>>(
      (name) => typeof name === 'string' && methods.has(name.toUpperCase()),
      `must be one of ${methodNames.join(', ')}`,
    ),
  ),
  /** The path without its query, with or without `.json`; `*` matches anything. */
  path: z.optional(
    text.check(
      z.refine((path) => /^[/*][^?#]*$/.test(path), 'must start with / or with * (matches anything), without a query'),
    ),
  ),
  /** Id or e-mail address of the user whose token is sent. */
  user: z.optional(text),
};

const withoutSuffix = (path: string): string => path.replace(/\.json$/, '');

/** Whether `path` matches `pattern`, in which `*` matches anything; both with or without `.json`. */
export function pathMatches(pattern: string, path: string): boolean {
  const parts = withoutSuffix(pattern).split('*');
  const expression = parts.map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')).join('.*');
  return new RegExp(`^${expression}$`).test(withoutSuffix(path));
}
