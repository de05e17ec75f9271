import { platformNames } from '../../http/form-fields.js';
import { countryCodes } from '../../rules/codes.generated.js';

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

/** The suggestions for inputs of countries. Browsers find them by code and by name. */
export const CountryOptions = () => (
  <datalist id={countryOptionsId}>
    {countryCodes.map((code) => (
      <option value={code}>{countryName(code)}</option>
    ))}
  </datalist>
);
