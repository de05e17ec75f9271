import { countryCodes } from './codes.generated.js';

export * from './codes.generated.js';

/** The platforms that the API document names, as people write them. Others are allowed, too. */
export const platformNames: Readonly<Record<string, string>> = {
  youtube: 'YouTube',
  tiktok: 'TikTok',
  instagram: 'Instagram',
  twitter: 'Twitter',
};

const platforms: ReadonlyMap<string, string> = new Map([
  ...Object.keys(platformNames).map((id) => [id, id] as const),
  ...([
    ['ig', 'instagram'],
    ['insta', 'instagram'],
    ['x', 'twitter'],
    ['yt', 'youtube'],
  ] as const),
]);

/** `instagram` for `Instagram` and `IG`, `tiktok` for `Tik Tok`; undefined for a platform that is not known. */
export const platformNamed = (text: string): string | undefined =>
  platforms.get(text.toLowerCase().replaceAll(/[\s_.-]/g, ''));

/** More than every list of the contract may have. Longer lists are rejected, so they are not split completely. */
const mostParts = 1000;

/**
 * The names in a list that people write: `US / Germany`, `TikTok + IG` and `US DE` have two. Words that are only
 * separated by white space are names if all are known; other signs may be part of a name that is known.
 */
export const namesIn = (
  text: string,
  isKnown: (name: string) => boolean,
  isPossible: (name: string) => boolean = isKnown,
): readonly string[] =>
  text.split(/[,;|\n]/, mostParts).flatMap((given) => {
    const part = given.trim();
    if (part === '' || isKnown(part)) return part || [];
    const joined = part.split(/\s*[/+&]\s*|\s+and\s+/i, mostParts);
    if (joined.every(isPossible)) return joined;
    const words = part.split(/\s+/, mostParts);
    return words.every(isKnown) ? words : part;
  });

let countries: ReadonlyMap<string, string> | undefined;

/** Common names that differ from those of the Unicode CLDR, by code. */
const otherNames =
  'AE uae,AE emirates,CD drc,CI ivory coast,CV cape verde,CZ czech republic,GB uk,GB great britain,GB britain,GB england,' +
  'GB scotland,GB wales,GB northern ireland,HK hong kong,KR korea,KR republic of korea,MK macedonia,MM burma,MO macau,' +
  'NL holland,NL the netherlands,PS palestine,RU russian federation,TR turkey,US usa,US united states of america,US america,' +
  'VA vatican';

const plainName = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f.]/g, '')
    .replace(/ & /g, ' and ')
    .replace(/\u2019/g, "'")
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();

/** The code of a country by its code, its English name, or another common name. */
export function countryNamed(text: string): string | undefined {
  if (!countries) {
    const regions = new Intl.DisplayNames('en', { type: 'region' });
    countries = new Map([
      ...countryCodes.flatMap((code) => [
        [plainName(regions.of(code) ?? code), code] as const,
        [code.toLowerCase(), code] as const,
      ]),
      ...otherNames.split(',').map((entry) => [entry.slice(3), entry.slice(0, 2)] as const),
    ]);
  }
  return countries.get(plainName(text));
}
