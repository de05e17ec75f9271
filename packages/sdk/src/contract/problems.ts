import type * as z from 'zod/mini';

const checks = {
  blank: 'must not be blank',
  unstorable: 'must not contain NUL characters or half of a surrogate pair',
  not_url: 'must be an http or https address, such as https://example.com',
  not_slug: 'must be lowercase letters, digits, - and _, such as product or tiktok',
  separator: 'must not contain a comma, semicolon or line break',
  repeated_name: 'must not name anything twice',
  repeated_text: 'must not contain anything twice',
  repeated_country: 'must not name a country twice',
  not_time: 'must be a time in UTC, such as 2026-06-01T12:00:00Z',
  no_such_time: 'must be a time that exists',
  not_country: 'must be a two-letter country code, such as US',
  not_currency: 'must be a three-letter currency code in lowercase, such as usd',
  too_large: 'must be at most 64 KiB long',
  not_decimal: 'must be a plain decimal, such as 37.3349',
  not_integer: 'must be an integer',
} as const;

/** What is wrong with the value of a field: a code, and what its sentence says. `problemText` makes the sentence. */
export type FieldProblem =
  | { readonly code: keyof typeof checks }
  | { readonly code: 'too_long' | 'too_many' | 'above'; readonly max: number }
  | { readonly code: 'below'; readonly min: number }
  | { readonly code: 'out_of_bounds'; readonly bound: number }
  | { readonly code: 'not_listed'; readonly values: readonly string[] }
  | { readonly code: 'wrong_type'; readonly expected: string }
  /** A check that has its own sentence. */
  | { readonly code: 'other'; readonly message: string };

const types: Readonly<Record<string, string>> = {
  string: 'must be text',
  array: 'must be a list',
  strings: 'must be a list of texts',
  boolean: 'must be true or false',
};

/** The rest of a sentence that begins with the name of the field, without a period. */
export function problemText(problem: FieldProblem): string {
  switch (problem.code) {
    case 'too_long':
      return `must be at most ${problem.max} characters long`;
    case 'too_many':
      return `must be a list of at most ${problem.max} values`;
    case 'above':
      return `must be at most ${problem.max}`;
    case 'below':
      return `must be ${problem.min} or more`;
    case 'out_of_bounds':
      return `must be between -${problem.bound} and ${problem.bound}`;
    case 'not_listed':
      return `must be ${problem.values.slice(0, -1).join(', ')} or ${problem.values.at(-1)}`;
    case 'wrong_type':
      return types[problem.expected] ?? 'is not valid';
    case 'other':
      return problem.message;
    default:
      return checks[problem.code];
  }
}

/** For `safeParse`: issues have only the messages that schemas have of their own, whatever locale of zod a program has set. */
export const codesOnly = { error: () => '' };

/** The problem in an issue of `safeParse(value, codesOnly)`: its own message, the `params` of a check, or what zod found. */
export function problemOf(issue: z.core.$ZodIssue): FieldProblem {
  const { code, message } = issue;
  if (message !== '') return { code: 'other', message };
  switch (code) {
    case 'custom':
      return issue.params as FieldProblem;
    case 'invalid_type': {
      // zod calls an integer a number until it has seen one, and the contract has no other numbers.
      if (issue.expected === 'number' || issue.expected === 'int') return { code: 'not_integer' };
      // All lists of the contract are lists of texts.
      const isInList = typeof issue.path.at(-1) === 'number' && issue.expected === 'string';
      return { code: 'wrong_type', expected: isInList ? 'strings' : issue.expected };
    }
    case 'too_big':
      return { code: issue.origin === 'array' ? 'too_many' : 'above', max: Number(issue.maximum) };
    case 'too_small':
      // Below what a number holds exactly.
      if (issue.minimum === Number.MIN_SAFE_INTEGER) return { code: 'not_integer' };
      return { code: 'below', min: Number(issue.minimum) };
    case 'invalid_value':
      return { code: 'not_listed', values: issue.values.map(String) };
    default:
      return { code: 'other', message: 'is not valid' };
  }
}
