import countries from 'countries-list/minimal/countries.2to3.min.json';
import { codes } from 'currency-codes';

/** ISO 3166-1 and 4217 from pinned tables of libraries, so that every runtime knows the same codes (D19). */
const countryCodes: ReadonlySet<string> = new Set(Object.keys(countries));
/** In the table, but only reserved or in private use: ISO has not assigned them. */
const unassigned: ReadonlySet<string> = new Set(['AC', 'TA', 'XK']);
const currencyCodes: ReadonlySet<string> = new Set(codes().map((code) => code.toLowerCase()));

export const isCountry = (code: string): boolean => countryCodes.has(code) && !unassigned.has(code);
export const isCurrency = (code: string): boolean => currencyCodes.has(code);
