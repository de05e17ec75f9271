import type { Endpoint, RequestBody } from '@mkt/sdk/contract';
import { typedFields } from '../http/form-fields.js';
import type { Image, Prefill } from '../rules/context.js';
import { RuleError } from '../rules/errors.js';
import { checkedParameter } from '../rules/fields.js';
import { messagesForPeople } from './form-messages.js';
import { defaultsOf, fingerprintsIn, formComparison, textIn, textOf, type Values, valuesIn } from './form-values.js';
import type { PageContext } from './page-context.js';
import { pageDescriptionOf } from './page-descriptions.js';
import type { WebContext } from './web-context.js';

/** The web page that the form of a new collab is filled from. */
export interface ProductPage {
  /** What was typed as its URL. */
  readonly typed: string;
  /** The last typed URL that was read; empty for none. */
  readonly read: string;
  /** The URL of the page if it has an image, which becomes the banner; empty for none. */
  readonly imagePage: string;
  /** Fingerprints of the values that were not typed: defaults, and what was found. */
  readonly untouched: string;
  /** What the page has, if it was just read. */
  readonly found?: readonly string[];
  /** The image that was found, as a data URL. */
  readonly picture?: string;
  readonly errors?: readonly string[];
}

/** What a form says about its product page; null if its endpoint takes none. */
export function productIn(
  web: WebContext,
  context: PageContext,
  endpoint: Endpoint,
  form: FormData | null,
): ProductPage | null {
  if (!endpoint.query.website) return null;
  const defaults = Object.entries(defaultsOf(context, pageDescriptionOf(endpoint.operation)));
  const { fingerprintsOf } = formComparison(endpoint.request as RequestBody, web.site.sha256);
  return {
    typed: textIn(form, 'product_page'),
    read: textIn(form, 'product_read'),
    imagePage: textIn(form, 'product_image_page'),
    untouched:
      textIn(form, 'untouched') ||
      fingerprintsOf(Object.fromEntries(defaults.map(([name, value]) => [name, textOf(value)]))),
  };
}

/** Whether the form has the URL of a page that was not read yet, so that nothing may be created from it. */
export const hasUnreadPage = (form: FormData): boolean =>
  textIn(form, 'product_page') !== '' && textIn(form, 'product_page') !== textIn(form, 'product_read');

const maxShownImage = 256 * 1024;

/** Reads the page, and fills the fields that were not typed with what it has. */
export async function readProduct(
  web: WebContext,
  endpoint: Endpoint,
  product: ProductPage,
  form: FormData,
  userId: string,
): Promise<{ readonly values: Values; readonly product: ProductPage }> {
  const request = endpoint.request as RequestBody;
  const values = valuesIn(form, request);
  const rejected = (errors: readonly string[]) => ({ values, product: { ...product, imagePage: '', errors } });
  if (product.typed === '') return rejected(['Type the web address of a product page.']);
  const website = String(typedFields({ website: product.typed }, request.fields, true).website);
  let prefill: Prefill;
  try {
    checkedParameter('website', endpoint.query.website as never, [website]);
    prefill = await web.site.readPage(website, userId);
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    return rejected(messagesForPeople(request, { website: product.typed }, error.problems).website ?? []);
  }
  const { image, ...facts } = prefill;
  const { fingerprintsOf } = formComparison(request, web.site.sha256);
  const before = fingerprintsIn(product.untouched);
  const now = new URLSearchParams(fingerprintsOf(values));
  const isTyped = (name: string): boolean => now.has(name) && now.get(name) !== before.get(name);
  const used: Values = Object.fromEntries(
    Object.entries(facts).flatMap(([name, value]) => (value === null || isTyped(name) ? [] : [[name, textOf(value)]])),
  );
  for (const [name, own] of new URLSearchParams(fingerprintsOf(used))) before.set(name, own);
  return {
    values: { ...values, ...used },
    product: {
      typed: product.typed,
      read: product.typed,
      imagePage: image ? website : '',
      untouched: String(before),
      found: [...Object.keys(used).filter((name) => name !== 'website'), ...(image ? ['image'] : [])],
      ...(image && image.bytes.length <= maxShownImage && { picture: dataUrl(image) }),
    },
  };
}

const dataUrl = ({ type, bytes }: Image): string => `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
