import { type Endpoint, fieldsOfKind, kindsOf } from '@mkt/sdk/contract';
import { typedParts } from '../http/form-fields.js';
import { leftOut } from '../rules/brief-html.js';
import { platformNamed } from '../rules/codes.js';
import { fieldsOf } from '../rules/fields.js';
import { type briefIn, valuesIn } from './form-values.js';
import type { Item } from './page-descriptions.js';
import { countryName, platformName } from './pages/countries.js';
import { imagesElsewhere } from './pages/values.js';

/** What is not stored, or not shown, of the brief that a person wrote. */
export function remarksOnBrief({ html, unused }: NonNullable<ReturnType<typeof briefIn>>, stored: unknown): string[] {
  const missing = stored === undefined ? null : leftOut(html, String(stored ?? ''));
  const images = imagesElsewhere(String(stored ?? ''));
  const elsewhere =
    images === 1
      ? '1 image is on another site: these pages show only its address.'
      : `${images} images are on other sites: these pages show only their addresses.`;
  return [
    ...(missing?.size ? [`The brief was stored without ${[...missing.values()].join(', ')}.`] : []),
    ...(missing?.has('link') ? ['A link needs an address such as https://acme.example.'] : []),
    ...(images > 0 ? [elsewhere] : []),
    ...(unused === undefined ? [] : [`The ${unused} was left out.`]),
  ];
}

const nameOf = { platform: platformName, country: countryName, slug: (value: string) => value } as const;

/** What the texts of a form were taken for, and which platforms are not known. */
export function remarksOnValues({ request }: Endpoint, form: FormData, before: Item | null, after: Item): string[] {
  if (!request) return [];
  const [kinds, schemas, values] = [kindsOf(request.fields), fieldsOf(request.fields), valuesIn(form, request)];
  return (['platform', 'country', 'slug'] as const).flatMap((kind) =>
    fieldsOfKind(kinds, kind).flatMap((name) => {
      const { [name]: text = '' } = values;
      const { [name]: stored } = after;
      const { [name]: schema } = schemas;
      if (text === '') return [];
      const parts = Array.isArray(stored)
        ? schema && typedParts(kinds, name, schema, text)
        : [{ typed: text.trim(), value: String(stored) }];
      const known = [before?.[name]].flat();
      return (parts ?? []).flatMap(({ typed, value }) => {
        if (known.includes(value)) return [];
        const shown = nameOf[kind](value);
        const isSame = [value, shown].some((each) => each.toLowerCase() === typed.toLowerCase());
        const taken = isSame ? '' : `"${typed}" was ${kind === 'slug' ? 'saved as' : 'taken for'} ${shown}`;
        if (kind !== 'platform' || platformNamed(value) === value) return taken ? `${taken}.` : [];
        return taken ? `${taken}, which is not a known platform.` : `"${value}" is not a known platform.`;
      });
    }),
  );
}
