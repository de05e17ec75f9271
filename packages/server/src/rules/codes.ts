import { countryCodes, currencyCodes } from './codes.generated.js';

const countries: ReadonlySet<string> = new Set(countryCodes);
const currencies: ReadonlySet<string> = new Set(currencyCodes);

/** ISO 3166-1 and 4217 from pinned tables of libraries, so that every runtime knows the same codes (D19). */
export const isCountry = (code: string): boolean => countries.has(code);
export const isCurrency = (code: string): boolean => currencies.has(code);
