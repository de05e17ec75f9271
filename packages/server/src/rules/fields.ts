import {
  type FieldKinds,
  fieldsOfKind,
  hasKind,
  INVALID_INPUT,
  isBlank,
  kindsOf,
  type Money,
  ownMessages,
  type RequestBody,
  type Schema,
} from '@mkt/sdk/contract';
import { countryCodes, currencyCodes } from './codes.generated.js';
import { fieldLabel, invalid, invalidFields } from './errors.js';

const countries: ReadonlySet<string> = new Set(countryCodes);
const currencies: ReadonlySet<string> = new Set(currencyCodes);
export const isCountry = (code: string): boolean => countries.has(code);

type Fields = Record<string, unknown>;
export type Issue = {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly expected?: string;
};

const typeNames: Readonly<Record<string, string>> = {
  string: 'must be text',
  array: 'must be a list',
  number: 'must be a number',
  int: 'must be an integer',
  boolean: 'must be true or false',
};

/** The message from the contract, or one that names the expected type. */
export function messageFor({ message, path, expected = '' }: Issue): string {
  if (message !== INVALID_INPUT) return message;
  // All lists in the contract are lists of strings.
  return path.length > 1 && expected === 'string' ? 'must be a list of texts' : (typeNames[expected] ?? 'is not valid');
}

/** The existing codes; the contract only checks their format. */
const codes = { currency: currencies, country: countries };

/**
 * The fields for a rule: checked against the contract, without unknown ones, with null for blank text in nullable
 * fields, with sanitized rich text. `richText` is a parameter because its library is loaded lazily.
 * @throws 422 with every problem under its field.
 */
export function checkedFields(request: RequestBody, sent: Fields, richText: (html: string) => string): Fields {
  const result = request.fields.safeParse(sent, ownMessages);
  const errors: Record<string, string[]> = {};
  const add = (field: string, message: string) => {
    const sentence = `${fieldLabel(field)} ${message}.`;
    errors[field] ??= [];
    if (!errors[field].includes(sentence)) errors[field].push(sentence);
  };
  for (const issue of (result.error?.issues ?? []) as readonly Issue[]) {
    const field = String(issue.path[0]);
    add(field, sent[field] === undefined ? 'is required' : messageFor(issue));
  }
  const wellFormed = Object.fromEntries(Object.entries(sent).filter(([field]) => !(field in errors)));
  for (const [field, message] of unknownCodes(request.fields, kindsOf(request.fields), wellFormed)) add(field, message);
  if (Object.keys(errors).length > 0) throw invalidFields(errors);
  return normalized(result.data as Fields, request.fields, kindsOf(request.fields), richText);
}

/** The fields whose codes do not exist, with a message each. */
export const unknownCodes = (schema: Schema, kinds: FieldKinds, sent: Fields): [field: string, message: string][] =>
  (['currency', 'country'] as const).flatMap((kind) =>
    fieldsOfKind(kinds, kind).flatMap((field): [string, string][] => {
      const value = sent[field] ?? [];
      const unknown = [value].flat().filter((code) => !codes[kind].has(String(code)));
      const expected = Array.isArray(value) ? `known ${kind} codes` : `a known ${kind} code`;
      return unknown.length > 0 && field in fieldsOf(schema)
        ? [[field, `must be ${expected}, not ${unknown.join(', ')}`]]
        : [];
    }),
  );

/** The fields of an object schema. */
export const fieldsOf = (schema: Schema): Readonly<Record<string, Schema>> =>
  (schema as unknown as { readonly shape: Readonly<Record<string, Schema>> }).shape;

/** Changes the fields to what is stored. @throws 422 */
export function normalized(
  fields: Fields,
  schema: Schema,
  kinds: FieldKinds,
  richText: (html: string) => string,
): Fields {
  const shape = fieldsOf(schema);
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value !== 'string') continue;
    if (isBlank(value) && shape[name]?.safeParse(null).success) fields[name] = null;
    else if (hasKind(kinds, name, 'richText')) fields[name] = checkedRichText(name, richText(value), shape[name]);
  }
  return fields;
}

/** Sanitizing escapes `<` as `&lt;`. The limit applies to the stored text, so that clients can send back what they read. */
function checkedRichText(name: string, safe: string, schema: Schema | undefined): string {
  if (schema?.safeParse(safe).success) return safe;
  throw invalid(name, `${fieldLabel(name)} must be at most 64 KiB long after its special characters are escaped.`);
}

/** A query parameter of the contract, or null if it is absent. @throws 422 */
export function checkedParameter(name: string, schema: Schema, values: readonly string[]): string | null {
  if (values.length === 0) return null;
  const result = schema.safeParse(values.at(-1), ownMessages);
  if (!result.success) throw invalid(name, `${fieldLabel(name)} ${messageFor(result.error.issues[0] as Issue)}.`);
  return result.data as string;
}

/** The ranges in which the first amount exceeds the second, with the message at the field that `sent` has. */
export function rangeErrors(ranges: Money['ranges'], row: Fields, sent: Fields): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const { min, max } of ranges) {
    const [field, least, other] = sent[min] === undefined ? [max, 'at least', min] : [min, 'at most', max];
    if (Number(row[min]) > Number(row[max]))
      found[field] = [
        `${fieldLabel(field)} must be ${least} the ${fieldLabel(other).toLowerCase()}, which is ${row[other]}.`,
      ];
  }
  return found;
}

export const needsLogo = (privacy: unknown, hasLogo: boolean): boolean => privacy === 'private' && !hasLogo;
export const logoMessage = 'A private organization needs a logo. Upload one, or choose another privacy setting.';
