import { countryCodes } from './codes.generated.js';

export * from './codes.generated.js';

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
