import {
  codesOnly,
  type FieldKinds,
  fieldsOfKind,
  hasKind,
  isBlank,
  kindsOf,
  type Money,
  problemOf,
  type RequestBody,
  type Schema,
} from '@mkt/sdk/contract';
import { countryCodes, currencyCodes } from './codes.generated.js';
import { invalid, invalidFields } from './errors.js';
import type { Problem } from './problems.js';

const countries: ReadonlySet<string> = new Set(countryCodes);
const currencies: ReadonlySet<string> = new Set(currencyCodes);
export const isCountry = (code: string): boolean => countries.has(code);

type Fields = Record<string, unknown>;
type RichText = typeof import('./rich-text.js');
/** The existing codes; the contract only checks their format. */
const codes = { currency: currencies, country: countries };

/**
 * The fields for a rule: checked against the contract, without unknown ones, with null for blank text in nullable
 * fields, with sanitized rich text, whose clutter does not count. Its module is a parameter because it is loaded lazily.
 * @throws 422 with every problem under its field.
 */
export function checkedFields(request: RequestBody, given: Fields, { richText, withoutClutter }: RichText): Fields {
  const kinds = kindsOf(request.fields);
  const sent = { ...given };
  for (const field of fieldsOfKind(kinds, 'richText'))
    if (typeof sent[field] === 'string') sent[field] = withoutClutter(sent[field]);
  const result = request.fields.safeParse(sent, codesOnly);
  const problems: Record<string, Problem[]> = {};
  for (const issue of result.error?.issues ?? []) {
    const field = String(issue.path[0]);
    problems[field] ??= [];
    problems[field].push(sent[field] === undefined ? { code: 'required' } : problemOf(issue));
  }
  const wellFormed = Object.fromEntries(Object.entries(sent).filter(([field]) => !(field in problems)));
  for (const [field, problem] of unknownCodes(request.fields, kinds, wellFormed)) problems[field] = [problem];
  if (Object.keys(problems).length > 0) throw invalidFields(problems);
  return normalized(result.data as Fields, request.fields, kinds, richText);
}

/** The fields whose codes do not exist. */
export const unknownCodes = (schema: Schema, kinds: FieldKinds, sent: Fields): [field: string, problem: Problem][] =>
  (['currency', 'country'] as const).flatMap((kind) =>
    fieldsOfKind(kinds, kind).flatMap((field): [string, Problem][] => {
      const value = sent[field] ?? [];
      const values = [value].flat().filter((code) => !codes[kind].has(String(code)));
      return values.length > 0 && field in fieldsOf(schema)
        ? [[field, { code: 'unknown_code', kind, isList: Array.isArray(value), values }]]
        : [];
    }),
  );

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
    const isRichText = hasKind(kinds, name, 'richText');
    // Sanitizing can leave a blank text.
    const text = isRichText ? richText(value) : value;
    if (isBlank(text) && shape[name]?.safeParse(null).success) fields[name] = null;
    else if (isRichText) fields[name] = checkedRichText(name, text, shape[name]);
  }
  return fields;
}

/** Sanitizing escapes `<` as `&lt;`. The limit applies to the stored text, so that clients can send back what they read. */
function checkedRichText(name: string, safe: string, schema: Schema | undefined): string {
  if (schema?.safeParse(safe).success) return safe;
  throw invalid(name, { code: 'too_large_escaped' });
}

/** A query parameter of the contract, or null if it is absent. @throws 422 */
export function checkedParameter(name: string, schema: Schema, values: readonly string[]): string | null {
  if (values.length === 0) return null;
  const { error, data } = schema.safeParse(values.at(-1), codesOnly);
  for (const issue of error?.issues ?? []) throw invalid(name, problemOf(issue));
  return data as string;
}

/** The ranges in which the first amount exceeds the second, with the problem at the field that `sent` has. */
export function rangeProblems(ranges: Money['ranges'], row: Fields, sent: Fields): Record<string, Problem[]> {
  const found: Record<string, Problem[]> = {};
  for (const { min, max } of ranges) {
    const [field, bound, other] =
      sent[min] === undefined ? ([max, 'at least', min] as const) : ([min, 'at most', max] as const);
    if (Number(row[min]) > Number(row[max])) found[field] = [{ code: 'out_of_range', bound, other, value: row[other] }];
  }
  return found;
}

/** A private organization has one. */
export const needsLogo = (privacy: unknown, hasLogo: boolean): boolean => privacy === 'private' && !hasLogo;
