import { isBlank, type Schema } from '@mkt/sdk/contract';
import { countryCodes } from '../rules/codes.generated.js';
import { fieldsOf } from '../rules/fields.js';

/** The information about a field that forms need. */
export interface FieldKind {
  readonly kind: 'text' | 'integer' | 'boolean' | 'list' | 'choice' | 'flag';
  /** The values of a choice. */
  readonly choices: readonly string[];
}

interface Definition {
  readonly type: string;
  readonly innerType?: Schema;
  readonly entries?: Readonly<Record<string, string>>;
}

/** Exceeds the limit of every list in the contract. Longer lists are rejected, so they are not split completely. */
const mostParts = 1000;

const kinds: Readonly<Record<string, FieldKind['kind']>> = {
  number: 'integer',
  boolean: 'boolean',
  array: 'list',
  enum: 'choice',
  unknown: 'flag',
};

export function fieldKind(schema: Schema): FieldKind {
  const definition = schema._zod.def as unknown as Definition;
  if (definition.innerType) return fieldKind(definition.innerType);
  return { kind: kinds[definition.type] ?? 'text', choices: Object.values(definition.entries ?? {}) };
}

const accepts = (schema: Schema, value: unknown): boolean => schema.safeParse(value).success;

/**
 * Converts the strings of a form to JSON values: codes in the wrong case are corrected (D137), and strings that do not
 * match the type stay, and fail validation.
 * Empty fields are omitted on creation, so that defaults apply, and null in updates.
 */
export function typedFields(sent: Readonly<Record<string, unknown>>, schema: Schema, creates: boolean) {
  const shape = fieldsOf(schema);
  const typed: Record<string, unknown> = { ...sent };
  for (const [name, value] of Object.entries(sent)) {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (!field || typeof value !== 'string') continue;
    if (!isBlank(value)) typed[name] = typedValue(field, value.trim(), value);
    else if (creates && accepts(field, undefined)) delete typed[name];
    else if (accepts(field, null)) typed[name] = null;
    else if (fieldKind(field).kind === 'list') typed[name] = [];
  }
  return typed;
}

function typedValue(field: Schema, trimmed: string, text: string): unknown {
  const { kind } = fieldKind(field);
  if (kind === 'integer') return /^-?\d{1,16}$/.test(trimmed) ? Number(trimmed) : text;
  if (kind === 'boolean') return trimmed === 'true' ? true : trimmed === 'false' ? false : text;
  if (kind === 'list') {
    const all = valuesIn(trimmed, field).map((part) => corrected((value) => accepts(field, [value]), part));
    return [...new Set(all)];
  }
  return kind === 'choice' ? trimmed : corrected((value) => accepts(field, value), text);
}

/** The values in the text of a list: `Summer sale, Glow` has two. */
export const listParts = (text: string): readonly string[] =>
  text
    .split(',', mostParts)
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Codes and slugs may also be separated by white space, which they cannot contain. */
function valuesIn(text: string, field: Schema): readonly string[] {
  const parts = listParts(text);
  if (accepts(field, ['Summer sale'])) return parts;
  return parts.flatMap((part) => (countryNamed(part) === undefined ? part.split(/\s+/, mostParts) : part));
}

/** The code or slug that the user meant: `usd` for `USD`, `US` for `us` or `United States`, `youtube` for `YouTube`. */
function corrected(isAccepted: (value: string) => boolean, text: string): string {
  if (isAccepted(text)) return text;
  const trimmed = text.trim();
  const slug = trimmed.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const candidates = [trimmed, countryNamed(trimmed), trimmed.toLowerCase(), trimmed.toUpperCase(), slug];
  return candidates.find((candidate) => candidate !== undefined && isAccepted(candidate)) ?? text;
}

let countries: ReadonlyMap<string, string> | undefined;

/** The code of a country by its English name. */
function countryNamed(name: string): string | undefined {
  if (!countries) {
    const regions = new Intl.DisplayNames('en', { type: 'region' });
    countries = new Map(countryCodes.map((code) => [regions.of(code)?.toLowerCase() ?? code, code] as const));
  }
  return countries.get(name.trim().toLowerCase());
}
