import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { hasKind, type Kind } from '@mkt/sdk/contract';
import type { Item, PageDescription } from './page-descriptions.js';
import type { WebContext } from './web-context.js';

/** The values of items that a page showed when it asked, by id. Its form contains them. */
export type Shown = ReadonlyMap<string, Item>;

/** Of the longest form: ten thousand items. */
const maxLength = 8 * 1024 * 1024;

export const shownText = (shown: Shown): string => deflateRawSync(JSON.stringify([...shown])).toString('base64url');

/** Null if the form is not from one of our pages. Text that is not valid shows nothing, so everything has changed. */
export function shownIn(form: FormData | null): Shown | null {
  const text = form?.get('shown');
  if (typeof text !== 'string') return null;
  try {
    const json = inflateRawSync(Buffer.from(text, 'base64url'), { maxOutputLength: maxLength });
    return new Map(JSON.parse(json.toString()) as [string, Item][]);
  } catch {
    return new Map();
  }
}

/** Fields that never change, that move by themselves, or that follow from others. */
const others: readonly Kind[] = ['identity', 'counter', 'derived'];
/** Whether people set the field, so that it counts as shown. */
export const isSet = ({ fields }: Pick<PageDescription, 'fields'>, field: string): boolean =>
  !others.some((kind) => hasKind(fields, field, kind));

const longest = 80;

export const isLong = (value: unknown): value is string => typeof value === 'string' && value.length > longest;

/** The beginning of a value, whole or as a form has it, without tags. */
export const beginningOf = (value: unknown): string =>
  `${String(value)
    .slice(0, longest)
    .replace(/<[^>]*(>|$)/g, ' ')
    .trim()}${isLong(value) ? '…' : ''}`;

/** What counts as shown: all values of an item that people set. Long texts are recognized by their beginning and a digest. */
export const shownValues = (
  { sha256 }: WebContext['site'],
  resource: Pick<PageDescription, 'fields'>,
  item: Item,
): Item =>
  Object.fromEntries(
    Object.entries(item).flatMap(([field, value]) => {
      if (!isSet(resource, field)) return [];
      return [[field, isLong(value) ? `${value.slice(0, longest)}…${sha256(value).slice(0, 12)}` : value]];
    }),
  );

/** The names of the values that differ. */
export const changesBetween = (before: Item, now: Item): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(now[field]),
  );
