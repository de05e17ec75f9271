import type { Endpoint, RequestBody } from '@mkt/sdk/contract';
import type { Image, Input, Prefill } from '../rules/context.js';
import { invalid } from '../rules/errors.js';
import { checkedFields, checkedParameter } from '../rules/fields.js';
import { imageFrom } from '../rules/images.js';
import * as richText from '../rules/rich-text.js';
import { readBody } from './body.js';
import type { Exchange } from './exchange.js';
import { pauseFor } from './pause.js';
import { type ConvertFields, unwrap } from './wrapper.js';

export interface InputServices {
  /** Reads the page that `?website=` names, for this user. @throws 422 on `website` */
  readonly readPage: (address: string, userId: string) => Promise<Prefill>;
  /** Undefined if there are no pages, so no forms. */
  readonly convertFields: ConvertFields | undefined;
}

/** What a rule gets of a body. @throws 400, 413, 415 for the body, 422 for its fields */
export async function inputOf(
  request: RequestBody,
  { query, method }: Endpoint,
  exchange: Exchange,
  { readPage, convertFields }: InputServices,
): Promise<Input<unknown>> {
  const body = await readBody(exchange, request.file !== null);
  const { fields, purge, file } = unwrap(
    body,
    request,
    (sent) => convertFields?.(sent, request.fields, method === 'POST') ?? sent,
  );
  const checked = checkedFields(request, fields, richText);
  const image = request.file === null || file === undefined ? exchange.restored : await imageIn(file, request.file);
  if (image) await pauseFor(exchange, image.bytes);
  const website = query.website && checkedParameter('website', query.website, exchange.query('website'));
  return { fields: checked, purge, image, prefill: website ? await readPage(website, exchange.userId ?? '') : null };
}

/** The image in a form's file field. @throws 422 on `field` for anything else, or if it is too large */
async function imageIn(file: unknown, field: string): Promise<Image> {
  // Not by `instanceof`: the Blob of jsdom is another one than that of the platform's forms.
  const { arrayBuffer } = Object(file) as Partial<Blob>;
  if (typeof arrayBuffer !== 'function') throw invalid(field, { code: 'not_file' });
  const image = await imageFrom(new Uint8Array(await arrayBuffer.call(file)));
  if ('code' in image) throw invalid(field, image);
  return image;
}
