const currencies: Readonly<Record<string, string>> = {
  AU: 'aud',
  CA: 'cad',
  DE: 'eur',
  ES: 'eur',
  FR: 'eur',
  GB: 'gbp',
  JP: 'jpy',
  NL: 'eur',
  SE: 'sek',
};

/** The currency of a budget for these countries: that of the first one. */
export const currencyOf = (countries: readonly string[]): string => currencies[countries[0] ?? ''] ?? 'usd';
