import type { Departure } from './findings.js';

interface Form {
  /** Names of fields that have it. */
  readonly fields: RegExp;
  readonly expected: string;
  readonly test: (text: string) => boolean;
}

/** What the document says of text in certain fields, beyond its being text (api.md, General rule 3 and the field tables). */
const forms: readonly Form[] = [
  {
    fields: /_at$/,
    expected: 'ISO 8601 in UTC',
    test: (text) =>
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]00:?00)$/.test(text) && !Number.isNaN(Date.parse(text)),
  },
  { fields: /^(url|website|.+_url)$/, expected: 'a URL', test: (text) => URL.canParse(text) },
  {
    fields: /^(countries|country_code)$/,
    expected: 'two uppercase letters',
    test: (text) => /^[A-Z]{2}$/.test(text),
  },
  { fields: /^currency$/, expected: 'a lowercase code', test: (text) => /^[a-z]+$/.test(text) },
  {
    fields: /^(engagement_rate|latitude|longitude)$/,
    expected: 'a decimal',
    test: (text) => /^-?\d+(\.\d+)?$/.test(text),
  },
];

/** A text with its letters and digits made alike: it shows the form and gives nothing away. */
const silhouette = (text: string): string =>
  text
    .slice(0, 40)
    .replaceAll(/\d/g, '9')
    .replaceAll(/\p{L}/gu, 'a')
    .replaceAll(/[^\x20-\x7e]/g, '?');

/** The texts of an object that have another form than the document says. */
export function formDepartures(value: object): Departure[] {
  return Object.entries(value).flatMap(([name, held]) => {
    const form = forms.find(({ fields }) => fields.test(name));
    if (form === undefined) return [];
    const texts: readonly unknown[] = Array.isArray(held) ? held : [held];
    const wrong = texts.find((text): text is string => typeof text === 'string' && !form.test(text));
    if (wrong === undefined) return [];
    const where = Array.isArray(held) ? `${name}[]` : name;
    return [{ kind: 'wrong form', where, expected: form.expected, got: silhouette(wrong) } as const];
  });
}
