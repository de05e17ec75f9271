/** Messages by field; those that do not belong to a field are under `base`. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** `http/problems.ts` maps the meaning to a status. */
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

/** `Cpm amount` for `cpm_amount`: how messages name a field. */
export const fieldLabel = (name: string): string => capitalized(name).replaceAll('_', ' ');

/** Also for resources that exist but are not visible to the caller. */
export const notFound = (message: string) => new RuleError('not found', message);

/** The resource is visible, but the caller's role does not permit this. */
export const forbidden = (reason: string) => new RuleError('forbidden', reason);

export const invalidFields = (fields: FieldErrors) =>
  new RuleError('invalid', Object.values(fields).flat().join(' '), fields);
export const invalid = (field: string, message: string) => invalidFields({ [field]: [message] });

/** For a check that does not belong to a field. */
export const unprocessable = (reason: string) => invalid('base', reason);

/** The current state does not permit this action. The response is a redirect with this reason. */
export const refused = (reason: string) => new RuleError('refused', reason);
