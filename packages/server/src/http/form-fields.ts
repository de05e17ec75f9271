import { accountUrl, type FieldKinds, hasKind, isBlank, kindsOf, type Schema } from '@mkt/sdk/contract';
import { countryNamed, namesIn, platformNamed } from '../rules/codes.js';
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
 * An empty field is null or an empty list. On creation, a choice that was not made is omitted, so that its default applies.
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
    // An emptied text or amount is an error, and not replaced by the default, which is not shown.
    else if (creates && ['choice', 'boolean'].includes(fieldKind(field).kind) && accepts(field, undefined))
      delete typed[name];
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
  return corrected(knownAs(kinds, name), (value) => accepts(field, value), text);
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

type NameKind = 'country' | 'platform' | undefined;

const knownAs = (kinds: FieldKinds, name: string): NameKind =>
  (['country', 'platform'] as const).find((kind) => hasKind(kinds, name, kind));

/** The values in the text of a list: `Summer sale, Glow` has two. */
export function typedParts(kinds: FieldKinds, name: string, field: Schema, text: string): readonly Part[] {
  const kind = knownAs(kinds, name);
  const isAccepted = (value: string): boolean =>
    accepts(field, [value]) && (kind !== 'country' || isCountry(value.toUpperCase()));
  const words =
    kind === 'country'
      ? namesIn(text, (word) => countryNamed(word) !== undefined)
      : kind === 'platform'
        ? namesIn(
            text,
            (word) => platformNamed(word) !== undefined,
            (word) => isAccepted(word.toLowerCase()),
          )
        : listParts(text);
  return words.map((typed) => {
    const value = corrected(kind, isAccepted, typed);
    return { typed, value, isValid: isAccepted(value) };
  });
}

/** The texts in the text of a list. */
export const listParts = (text: string): readonly string[] =>
  text
    .split(/[,;]/, mostParts)
    .map((part) => part.trim())
    .filter((part) => part !== '');

/**
 * The code, slug or URL that the user meant: `usd` for `USD`, `US` for `us` or `United States`, `youtube` for `YouTube`,
 * `https://acme.example` for `acme.example`.
 */
function corrected(kind: NameKind, isAccepted: (value: string) => boolean, text: string): string {
  if (text.length > mostCorrected) return text;
  const trimmed = text.trim();
  if (kind === 'country') return countryNamed(trimmed) ?? text;
  const platform = kind === 'platform' ? platformNamed(trimmed) : undefined;
  if (platform !== undefined) return platform;
  if (isAccepted(text)) return text;
  const slug = trimmed
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  const candidates = [trimmed, trimmed.toLowerCase(), trimmed.toUpperCase(), ...(slug === '' ? [] : [slug])];
  if (/^[^\s:/?#@]+\.[^\s:/?#@.]{2,}(:\d+)?([/?#]|$)/.test(trimmed)) candidates.push(`https://${trimmed}`);
  return candidates.find(isAccepted) ?? text;
}
