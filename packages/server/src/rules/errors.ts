import { type Problem, type Problems, sentencesOf } from './problems.js';

/** `http/problems.ts` maps the meaning to a status. */
export class RuleError extends Error {
  override readonly name = 'RuleError';
  constructor(
    readonly meaning: 'not found' | 'forbidden' | 'invalid' | 'refused',
    message: string,
    readonly problems: Problems = {},
  ) {
    super(message);
  }
}

/** Also for resources that exist but are not visible to the caller. */
export const notFound = (message: string) => new RuleError('not found', message);

/** The resource is visible, but the caller's role does not permit this. */
export const forbidden = (reason: string) => new RuleError('forbidden', reason);

/** @param given a sentence is the problem of a rule that has no code */
export function invalidFields(given: Readonly<Record<string, readonly (Problem | string)[]>>): RuleError {
  const problems = Object.entries(given).map(([field, own]) => [
    field,
    own.map((each): Problem => (typeof each === 'string' ? { code: 'sentence', sentence: each } : each)),
  ]);
  const byField: Problems = Object.fromEntries(problems);
  return new RuleError('invalid', Object.values(sentencesOf(byField)).flat().join(' '), byField);
}
export const invalid = (field: string, problem: Problem | string) => invalidFields({ [field]: [problem] });

/** For a check that does not belong to a field. */
export const unprocessable = (problem: Problem | string) => invalid('base', problem);

/** The current state does not permit this action. The response is a redirect with this reason. */
export const refused = (reason: string) => new RuleError('refused', reason);
