// Country and currency codes from pinned libraries, as two short lists: the libraries also carry names and digits,
// which would be a tenth of what the mock loads in a browser.
import { createRequire } from 'node:module';
import currencies from 'currency-codes';

const countries = createRequire(import.meta.url)('countries-list/minimal/countries.2to3.min.json');

/** In the table, but only reserved or in private use: ISO has not assigned them. */
const unassigned = ['AC', 'TA', 'XK'];

export const output = 'packages/server/src/rules/codes.generated.ts';

const words = (codes) => [...codes].sort().join(' ');

export const generate =
  () => `// Generated from the libraries countries-list and currency-codes by \`npm run generate\`. Do not edit.

/** ISO 3166-1 alpha-2. */
export const countryCodes: readonly string[] =
  '${words(Object.keys(countries).filter((code) => !unassigned.includes(code)))}'.split(' ');

/** ISO 4217, lowercase as the API writes them. */
export const currencyCodes: readonly string[] =
  '${words(currencies.codes().map((code) => code.toLowerCase()))}'.split(' ');
`;
