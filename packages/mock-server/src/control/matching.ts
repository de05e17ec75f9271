import { endpoints, type OperationName } from '@mkt/sdk/contract';
import * as z from 'zod/mini';
import { inRange, onlyFields, text } from './errors.js';

// Properties that faults and the request log match. Names that no request can have are rejected: a rule or filter that
// never matches would go unnoticed.
const operations: readonly string[] = endpoints.map(({ operation }) => operation);
const methodNames = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'] as const;
type Method = (typeof methodNames)[number];

/** How many parts of three letters a name has in common with another. */
const similarity = (name: string, other: string): number =>
  [...name].filter((_, index) => other.includes(name.slice(index, index + 3))).length;

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
      (name) => typeof name === 'string' && methodNames.includes(name.toUpperCase() as Method),
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

export const requestFilter = onlyFields({
  ...sought,
  /** The id of the sender. */
  user: sought.user,
  status: z.optional(inRange(z.number('must be a number'), 100, 599, 'must be a status from 100 to 599')),
  /** Only unexpected requests. */
  unexpected: z.optional(z.boolean('must be true or false')),
});
/** Matches requests that have all given properties. */
export type RequestFilter = Readonly<z.infer<typeof requestFilter>>;

export const waitOptions = onlyFields({
  /** Milliseconds to wait. @default 1000 */
  timeout: z.optional(inRange(z.number('must be milliseconds'), 0, 60_000, 'must be milliseconds from 0 to 60000')),
});
export type WaitOptions = Readonly<z.infer<typeof waitOptions>>;

const withoutSuffix = (path: string): string => path.replace(/\.json$/, '');

/** Whether `path` matches `pattern`, in which `*` matches anything; both with or without `.json`. */
export function pathMatches(pattern: string, path: string): boolean {
  const parts = withoutSuffix(pattern).split('*');
  const expression = parts.map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')).join('.*');
  return new RegExp(`^${expression}$`).test(withoutSuffix(path));
}

/** What filters compare. */
interface Sent {
  readonly operation: string | null;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly status: number | null;
  readonly user: string | null;
  readonly unexpected: string | null;
}

const pathOf = ({ path }: Sent): string => path.split('?', 1)[0] as string;

export const passes =
  ({ operation, method, path, status, user, unexpected }: RequestFilter) =>
  (request: Sent): boolean =>
    (operation === undefined || request.operation === operation) &&
    (method === undefined || request.method === method.toUpperCase()) &&
    (path === undefined || pathMatches(path, pathOf(request))) &&
    (status === undefined || request.status === status) &&
    (user === undefined || request.user === user) &&
    (unexpected === undefined || (request.unexpected !== null) === unexpected);

export const lineOf = ({ method, path, status }: Pick<Sent, 'method' | 'path' | 'status'>): string =>
  `${method} ${path} -> ${status}`;
