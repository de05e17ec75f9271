import { type Endpoint, fieldsOfKind, kindsOf } from '@mkt/sdk/contract';
import { typedParts } from '../http/form-fields.js';
import { leftOut } from '../rules/brief-html.js';
import { platformNamed } from '../rules/codes.js';
import { fieldsOf } from '../rules/fields.js';
import { type briefIn, valuesIn } from './form-values.js';
import type { Item } from './page-descriptions.js';
import { platformName } from './pages/countries.js';
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

/** What the texts of a form were taken for, and which platforms are not known. */
export function remarksOnPlatforms({ request }: Endpoint, form: FormData, before: Item | null, after: Item): string[] {
  if (!request) return [];
  const [kinds, schemas, values] = [kindsOf(request.fields), fieldsOf(request.fields), valuesIn(form, request)];
  return fieldsOfKind(kinds, 'platform').flatMap((name) => {
    const { [name]: text = '' } = values;
    const { [name]: stored } = after;
    const { [name]: schema } = schemas;
    const parts = Array.isArray(stored)
      ? schema && typedParts(kinds, name, schema, text)
      : [{ typed: text.trim(), value: String(stored) }];
    const known = [before?.[name]].flat();
    return (parts ?? []).flatMap(({ typed, value }) => {
      const taken = typed.toLowerCase() === value ? '' : `"${typed}" was taken for ${platformName(value)}`;
      if (platformNamed(value) === value) return taken ? `${taken}.` : [];
      if (known.includes(value)) return [];
      return taken ? `${taken}, which is not a known platform.` : `"${value}" is not a known platform.`;
    });
  });
}
