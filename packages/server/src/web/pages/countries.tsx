import { raw } from 'hono/html';
import { countryCodes, platformNames } from '../../rules/codes.js';

const regions = new Intl.DisplayNames('en', { type: 'region' });
const currencies = new Intl.DisplayNames('en', { type: 'currency' });

export const countryOptionsId = 'country-options';

/** `Germany` for `DE`. A seed file may have anything. */
export const countryName = (code: string): string => (/^[A-Z]{2}$/.test(code) ? regions.of(code) : undefined) ?? code;

/** `YouTube` for `youtube`. */
export const platformName = (id: string): string => (Object.hasOwn(platformNames, id) ? String(platformNames[id]) : id);

/** `USD (US Dollar)` for `usd`. */
export const currencyName = (code: string): string => {
  const name = currencies.of(code.toUpperCase());
  return name === code.toUpperCase() ? name : `${code.toUpperCase()} (${name})`;
};

let allCountries: string | undefined;

/** An option for each country. Rendered once: that was a quarter of the time of a list's page. */
export const CountryOptions = ({ selected = '' }: { readonly selected?: string }) => {
  allCountries ??= countryCodes
    .toSorted((one, other) => countryName(one).localeCompare(countryName(other), 'en'))
    .map((code) => String(<option value={code}>{countryName(code)}</option>))
    .join('');
  return raw(
    selected === '' ? allCountries : allCountries.replace(`value="${selected.toUpperCase()}"`, '$& selected=""'),
  );
};

/** The suggestions for inputs of countries. Browsers find them by code and by name. */
export const CountrySuggestions = () => (
  <datalist id={countryOptionsId}>
    <CountryOptions />
  </datalist>
);
