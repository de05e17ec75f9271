/** Messages by field; a guard that belongs to no field uses `base` (D6). */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** What a rule says no with. It names the meaning; `http/problems.ts` knows the status. */
export class RuleError extends Error {
  override readonly name = 'RuleError';
  constructor(
    readonly meaning: 'not found' | 'forbidden' | 'invalid' | 'refused',
    message: string,
    readonly fields: FieldErrors = {},
  ) {
    super(message);
  }
}

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `Cpm amount` of `cpm_amount`: how messages name a field. */
export const fieldLabel = (name: string): string => capitalized(name).replaceAll('_', ' ');

/** It does not exist, or the caller may not learn that it does (D9). */
export const notFound = (message: string) => new RuleError('not found', message);

/** The caller may see it, but the role does not permit this. */
export const forbidden = (reason: string) => new RuleError('forbidden', reason);

export const invalidFields = (fields: FieldErrors) =>
  new RuleError('invalid', Object.values(fields).flat().join(' '), fields);
export const invalid = (field: string, message: string) => invalidFields({ [field]: [message] });

/** A guard failed that belongs to no field (D6). */
export const guarded = (reason: string) => invalid('base', reason);

/** A web action that the present state does not permit: answered with a redirect and this reason (D39). */
export const refused = (reason: string) => new RuleError('refused', reason);
