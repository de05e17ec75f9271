import { countryCodes } from '../../rules/codes.generated.js';

const regions = new Intl.DisplayNames('en', { type: 'region' });
const currencies = new Intl.DisplayNames('en', { type: 'currency' });

export const countryOptionsId = 'country-options';

/** `Germany` for `DE`. */
export const countryName = (code: string): string => regions.of(code) ?? code;

/** `USD (US Dollar)` for `usd`. */
export const currencyName = (code: string): string => {
  const name = currencies.of(code.toUpperCase());
  return name === code.toUpperCase() ? name : `${code.toUpperCase()} (${name})`;
};

/** The suggestions for inputs of countries. Browsers find them by code and by name. */
export const CountryOptions = () => (
  <datalist id={countryOptionsId}>
    {countryCodes.map((code) => (
      <option value={code}>{countryName(code)}</option>
    ))}
  </datalist>
);
