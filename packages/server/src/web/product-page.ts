import type { Endpoint, RequestBody } from '@mkt/sdk/contract';
import type { Exchange } from '../http/exchange.js';
import { typedFields } from '../http/form-fields.js';
import type { Image, Prefill } from '../rules/context.js';
import { RuleError } from '../rules/errors.js';
import { checkedParameter } from '../rules/fields.js';
import { messagesForPeople } from './form-messages.js';
import { defaultsOf, fingerprintsIn, formComparison, textIn, textOf, type Values, valuesIn } from './form-values.js';
import type { PageContext } from './page-context.js';
import { pageDescriptionOf } from './page-descriptions.js';
import { keepImage, type Upload, uploadIn } from './uploads.js';
import type { WebContext } from './web-context.js';

/** The web page that the form of a new collab is filled from. */
export interface ProductPage {
  /** What was typed as its URL. */
  readonly typed: string;
  /** The last typed URL that was read; empty for none. */
  readonly read: string;
  /** The key of its image, which is uploaded for the banner; empty for none. */
  readonly image: string;
  /** Fingerprints of the values that were not typed: defaults, and what was found. */
  readonly untouched: string;
  /** What the page has, if it was just read. */
  readonly found?: readonly string[];
  /** The image that was found, as a data URL. */
  readonly picture?: string;
  readonly errors?: readonly string[];
}

/** What a form says about its product page; null if its endpoint takes none. */
export function productIn(web: WebContext, context: PageContext, endpoint: Endpoint, form: FormData | null) {
  if (!endpoint.query.website) return null;
  const defaults = Object.entries(defaultsOf(context, pageDescriptionOf(endpoint.operation)));
  const { fingerprintsOf } = formComparison(endpoint.request as RequestBody, web.site.sha256);
  return {
    typed: textIn(form, 'product_page'),
    read: textIn(form, 'product_read'),
    image: textIn(form, 'product_image'),
    untouched:
      textIn(form, 'untouched') ||
      fingerprintsOf(Object.fromEntries(defaults.map(([name, value]) => [name, textOf(value)]))),
  };
}

/** Whether the form has the URL of a page that was not read yet, so that nothing may be created from it. */
export const hasUnreadPage = (form: FormData): boolean =>
  textIn(form, 'product_page') !== '' && textIn(form, 'product_page') !== textIn(form, 'product_read');

const maxShownImage = 256 * 1024;

/**
 * Reads the page, and fills what was not typed or chosen with what it has. Its image is stored: another one that the page has
 * later was not shown.
 */
export async function readProduct(
  web: WebContext,
  exchange: Exchange,
  context: PageContext,
  endpoint: Endpoint,
  product: ProductPage,
  form: FormData,
): Promise<{ readonly values: Values; readonly product: ProductPage; readonly uploaded: Upload | null }> {
  const request = endpoint.request as RequestBody;
  const values = valuesIn(form, request);
  const uploaded = await uploadIn(web, exchange, form, request).catch(() => null);
  const rejected = (errors: readonly string[]) => ({ values, product: { ...product, errors }, uploaded });
  if (product.typed === '') return rejected(['Type the web address of a product page.']);
  const website = String(typedFields({ website: product.typed }, request.fields, true).website);
  let prefill: Prefill;
  try {
    checkedParameter('website', endpoint.query.website as never, [website]);
    const reading = web.site.readPage(website, exchange.userId ?? '');
    prefill = await reading.finally(() => web.requireSession(exchange));
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    return rejected(messagesForPeople(request, { website: product.typed }, error.problems).website ?? []);
  }
  const { image, ...facts } = prefill;
  const { fingerprintsOf } = formComparison(request, web.site.sha256);
  const before = fingerprintsIn(product.untouched);
  const now = new URLSearchParams(fingerprintsOf(values));
  const isTyped = (name: string): boolean => now.has(name) && now.get(name) !== before.get(name);
  const untyped = Object.entries(facts).filter(([name]) => !isTyped(name));
  const defaults = defaultsOf(context, pageDescriptionOf(endpoint.operation));
  // What this page does not have may be of a page before.
  const used: Values = Object.fromEntries(untyped.map(([name, value]) => [name, textOf(value ?? defaults[name])]));
  const found = untyped.flatMap(([name, value]) => (value === null || name === 'website' ? [] : [name]));
  for (const [name, own] of new URLSearchParams(fingerprintsOf(used))) before.set(name, own);
  const chosen = uploaded?.key === product.image || uploaded?.isGone ? null : uploaded;
  const name = 'The image of the page';
  const taken = image && !chosen ? { key: await keepImage(web, exchange, name, image), name } : null;
  return {
    // It was ticked for another image.
    values: { ...values, ...used, ...(taken && { [String(request.purge)]: '' }) },
    product: {
      typed: product.typed,
      read: product.typed,
      image: taken?.key ?? '',
      untouched: String(before),
      found: taken ? [...found, 'image'] : found,
      ...(image && taken && image.bytes.length <= maxShownImage && { picture: dataUrl(image) }),
    },
    uploaded: chosen ?? taken,
  };
}

const dataUrl = ({ type, bytes }: Image): string => `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
