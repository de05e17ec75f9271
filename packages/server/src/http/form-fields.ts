import { accountUrl, type FieldKinds, hasKind, isBlank, kindsOf, type Schema } from '@mkt/sdk/contract';
import { countryNamed } from '../rules/codes.js';
import { fieldsOf, isCountry } from '../rules/fields.js';
import { fieldKind } from './field-kind.js';

/** Exceeds the limit of every list in the contract. Longer lists are rejected, so they are not split completely. */
const mostParts = 1000;
/** Exceeds every code, slug and name of a country. Longer texts are rejected as they are. */
const mostCorrected = 1000;

const accepts = (schema: Schema, value: unknown): boolean => schema.safeParse(value).success;

/**
 * Converts the strings of a form to JSON values: codes in the wrong case are corrected, and strings that do not
 * match the type stay, and fail validation.
 * An empty field is null or an empty list. On creation, fields that cannot be empty are omitted, so that defaults apply.
 */
export function typedFields(sent: Readonly<Record<string, unknown>>, schema: Schema, creates: boolean) {
  const shape = fieldsOf(schema);
  const kinds = kindsOf(schema);
  const typed: Record<string, unknown> = { ...sent };
  for (const [name, value] of Object.entries(sent)) {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (!field || typeof value !== 'string') continue;
    if (!isBlank(value)) typed[name] = typedValue(kinds, name, field, value);
    else if (accepts(field, null)) typed[name] = null;
    else if (fieldKind(field).kind === 'list') typed[name] = [];
    // An emptied amount is an error, and not replaced by the default.
    else if (creates && fieldKind(field).kind !== 'integer' && accepts(field, undefined)) delete typed[name];
  }
  const { platform_id: platform, account_url: url } = typed;
  if (Object.hasOwn(shape, 'account_url') && typeof url === 'string')
    typed.account_url = accountUrl(String(platform), url);
  return typed;
}

function typedValue(kinds: FieldKinds, name: string, field: Schema, text: string): unknown {
  const { kind } = fieldKind(field);
  const trimmed = text.trim();
  if (kind === 'integer') {
    const digits = ungrouped(trimmed);
    const { MIN_SAFE_INTEGER: lowest, MAX_SAFE_INTEGER: highest } = Number;
    // Beyond the limits, any number is rejected like the first.
    return /^-?\d+$/.test(digits) ? Math.max(lowest, Math.min(Number(digits), highest + 1)) : text;
  }
  if (kind === 'boolean') return trimmed === 'true' ? true : trimmed === 'false' ? false : text;
  if (kind === 'choice') return trimmed;
  if (kind === 'list') return [...new Set(typedParts(kinds, name, field, text).map(({ value }) => value))];
  return corrected(hasKind(kinds, name, 'country'), (value) => accepts(field, value), text);
}

/** `1000` for `1,000` and `1 000`; other texts stay. */
export const ungrouped = (text: string): string =>
  /^\d{1,3}(?:([,'\u2019\s])\d{3})(?:\1\d{3})*$/.test(text.trim()) ? text.replace(/\D/g, '') : text;

/** A value in the text of a list: as it was typed, and as it is sent. */
interface Part {
  readonly typed: string;
  readonly value: string;
  readonly isValid: boolean;
}

/** The values in the text of a list: `Summer sale, Glow` has two. Known names may also be separated by white space. */
export function typedParts(kinds: FieldKinds, name: string, field: Schema, text: string): readonly Part[] {
  const isCountries = hasKind(kinds, name, 'country');
  const isPlatforms = hasKind(kinds, name, 'platform');
  const isKnown = (word: string): boolean =>
    isCountries ? countryNamed(word) !== undefined : isPlatforms && word.toLowerCase() in platformNames;
  const isAccepted = (value: string): boolean =>
    accepts(field, [value]) && (!isCountries || isCountry(value.toUpperCase()));
  const words = listParts(text).flatMap((part) => {
    const some = part.split(/\s+/, mostParts);
    return some.every(isKnown) ? some : part;
  });
  return words.map((typed) => {
    const value = corrected(isCountries, isAccepted, typed);
    return { typed, value, isValid: isAccepted(value) };
  });
}

/** The texts in the text of a list. */
export const listParts = (text: string): readonly string[] =>
  text
    .split(/[,;]/, mostParts)
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Platforms by their names. Others are allowed, too. */
export const platformNames: Readonly<Record<string, string>> = {
  youtube: 'YouTube',
  tiktok: 'TikTok',
  instagram: 'Instagram',
};

/**
 * The code, slug or URL that the user meant: `usd` for `USD`, `US` for `us` or `United States`, `youtube` for `YouTube`,
 * `https://acme.example` for `acme.example`.
 */
function corrected(isCountry: boolean, isAccepted: (value: string) => boolean, text: string): string {
  if (text.length > mostCorrected) return text;
  const trimmed = text.trim();
  if (isCountry) return countryNamed(trimmed) ?? text;
  if (isAccepted(text)) return text;
  const slug = trimmed
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  const candidates = [trimmed, trimmed.toLowerCase(), trimmed.toUpperCase(), slug];
  if (/^[^\s:/?#@]+\.[^\s:/?#@.]{2,}(:\d+)?([/?#]|$)/.test(trimmed)) candidates.push(`https://${trimmed}`);
  return candidates.find(isAccepted) ?? text;
}
