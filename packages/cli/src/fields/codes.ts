import { countryCodes, countryNamed, currencyCodes } from '@mkt/server/codes';
import threeLetters from 'countries-list/minimal/countries.3to2.min.json';
import { didYouMean, nearest } from '../text/nearest.js';
import { sanitizeLine } from '../text/values.js';

interface CodeList {
  readonly known: ReadonlySet<string>;
  /** The code in its letter case. */
  readonly normalize: (text: string) => string;
  /** The rest of a sentence that begins with the field. */
  readonly expected: string;
  /** In the order in which suggestions are searched. */
  readonly names: () => readonly (readonly [name: string, code: string])[];
}

/** Searched first, because many currencies are called dollar or pound. */
const COMMON_CURRENCIES = ['usd', 'eur', 'gbp'];

const namesOf = (type: 'region' | 'currency', codes: readonly string[]) => (): [string, string][] => {
  const names = new Intl.DisplayNames(['en'], { type });
  return codes.map((code) => [names.of(code.toUpperCase()) ?? code, code]);
};

/** The values of countries and currencies, which are the same for every service. */
const lists = {
  country: {
    known: new Set(countryCodes),
    normalize: (text) => text.toUpperCase(),
    expected: 'must be a two-letter country code, such as DE',
    names: namesOf('region', countryCodes),
  },
  currency: {
    known: new Set(currencyCodes),
    normalize: (text) => text.toLowerCase(),
    expected: 'must be a three-letter currency code, such as usd',
    names: namesOf('currency', [...new Set([...COMMON_CURRENCIES, ...currencyCodes])]),
  },
} as const satisfies Readonly<Record<string, CodeList>>;

export type CodeKind = keyof typeof lists;

/** Each code with its name. */
export const codesByName = (kind: CodeKind): [code: string, name: string][] =>
  lists[kind].names().map(([name, code]) => [code, name]);

/** Makes the value when it is first needed: names of all countries take some milliseconds. */
function once<Value>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= make();
    return value;
  };
}

/** Signs that people use for several currencies. */
const AMBIGUOUS_SIGNS = ['$', '\u00a5'];

/** The signs that stand for one currency: those of the English locale, and others that only one currency has. */
const currencySigns = once(() => {
  const signs = (currencyDisplay: 'symbol' | 'narrowSymbol') =>
    currencyCodes.map((currency) => {
      const parts = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay }).formatToParts(0);
      return [parts.find(({ type }) => type === 'currency')?.value ?? '', currency] as const;
    });
  const narrow = signs('narrowSymbol').filter(
    ([sign], _index, all) => all.filter(([each]) => each === sign).length === 1,
  );
  const certain = [...narrow, ...signs('symbol'), ['US$', 'usd'] as const];
  return new Map(certain.filter(([sign]) => !AMBIGUOUS_SIGNS.includes(sign)));
});

/** Languages in which people write the names of countries. */
const LANGUAGES = 'cs da de es fi fr hu it ja ko nb nl pl pt ro ru sv tr uk zh'.split(' ');

/** Countries by their names in these languages, in lower case; undefined for a name that two countries have. */
const namesElsewhere = once(() => {
  const codes = new Map<string, string | undefined>();
  for (const language of LANGUAGES) {
    const names = new Intl.DisplayNames([language], { type: 'region' });
    for (const code of countryCodes) {
      const name = names.of(code)?.toLowerCase() ?? code;
      codes.set(name, (codes.get(name) ?? code) === code ? code : undefined);
    }
  }
  return codes;
});

/** The code of a country or a currency by its code, its name, or a sign; undefined for what is not certain. */
export function codeNamed(kind: CodeKind, text: string): string | undefined {
  const { known, normalize, names }: CodeList = lists[kind];
  const word = text.trim();
  const code = normalize(word);
  if (known.has(code)) return code;
  if (kind === 'country') {
    const short = word.length === 3 ? replacementOf(word, lists[kind]) : undefined;
    return countryNamed(word) ?? short ?? namesElsewhere().get(word.normalize('NFC').toLowerCase());
  }
  const named = names().find(([name]) => name.toLowerCase() === word.toLowerCase());
  return named?.[1] ?? currencySigns().get(word);
}

/** The current code for a withdrawn or mistaken one, or one of three letters: GB for UK, US for USA. */
function replacementOf(code: string, { known }: CodeList): string | undefined {
  const short = (threeLetters as Readonly<Record<string, string>>)[code.toUpperCase()];
  if (short !== undefined) return known.has(short) ? short : undefined;
  if (!/^[a-z]{2}$/i.test(code)) return undefined;
  const { region } = new Intl.Locale(`und-${code}`);
  return region !== undefined && known.has(region) ? region : undefined;
}

function suggestionFor(kind: CodeKind, text: string): string | undefined {
  const list: CodeList = lists[kind];
  const replacement = kind === 'country' ? replacementOf(text, list) : undefined;
  if (replacement !== undefined) return replacement;
  const names = list.names();
  const exact = names.find(([name]) => name.toLowerCase() === text.toLowerCase());
  if (exact !== undefined) return exact[1];
  const near = nearest(
    text,
    names.map(([name]) => name),
  );
  const [name, code] = names.find(([each]) => each === near) ?? [];
  return code === undefined ? undefined : `${code} (${name})`;
}

/** A code that no country or currency has. */
export interface UnknownCode {
  readonly code: 'unknown_code';
  readonly kind: CodeKind;
  readonly value: string;
  readonly suggestion: string | undefined;
}

export function codeProblem(kind: CodeKind, text: string): UnknownCode | undefined {
  const { known, normalize }: CodeList = lists[kind];
  const word = text.trim();
  if (known.has(normalize(word))) return undefined;
  const value = sanitizeLine(/^\w{1,3}$/.test(word) ? normalize(word) : JSON.stringify(word));
  return { code: 'unknown_code', kind, value, suggestion: suggestionFor(kind, word) };
}

/** The rest of a sentence that begins with the field. */
export const codeMessage = ({ kind, value, suggestion }: UnknownCode): string =>
  `${lists[kind].expected}, not ${value}.${didYouMean(suggestion)}`;
