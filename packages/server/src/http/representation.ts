import type { Endpoint } from '@mkt/sdk/contract';
import type * as z from 'zod/mini';
import { pathOfOne } from './addresses.js';
import { Memo } from './memo.js';

type AnyRow = Readonly<Record<string, unknown>>;

/** Addresses of pictures and the columns that hold their keys. */
const imageKeys: Readonly<Record<string, string>> = { logo_url: 'logo_key', banner_image_url: 'banner_image_key' };

/**
 * How an endpoint's rows look in its answers: the fields of its response schema, in that order. `url` and the addresses
 * of pictures are made here; a field that the schema calls optional is left out where there is nothing (D19). The
 * same row gives the same object, frozen, so that its JSON is made once.
 */
export function representer(endpoint: Endpoint, endpoints: readonly Endpoint[]): (row: AnyRow, base: string) => object {
  const { shape } = endpoint.response as unknown as z.ZodMiniObject;
  const path = pathOfOne(endpoints, endpoint.operation);
  const fields = Object.entries(shape).map(([name, schema]) => ({
    name,
    imageKey: imageKeys[name] ?? null,
    optional: (schema as z.ZodMiniType)._zod.def.type === 'optional',
  }));

  const represent = (row: AnyRow, base: string): object => {
    const representation: Record<string, unknown> = {};
    for (const { name, imageKey, optional } of fields) {
      let value = row[name];
      if (imageKey !== null) value = row[imageKey] === null ? null : `${base}/images/${row[imageKey]}`;
      else if (name === 'url' && path) value = base + path(row);
      if (value === undefined || value === null) {
        if (!optional) representation[name] = null;
      } else representation[name] = value;
    }
    return Object.freeze(representation);
  };

  const known = new Memo<AnyRow, { readonly base: string; readonly representation: object }>();
  return (row, base) => {
    const before = known.get(row);
    if (before?.base === base) return before.representation;
    return known.set(row, { base, representation: represent(row, base) }).representation;
  };
}
