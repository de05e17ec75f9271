import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { hasKind, type Kind } from '@mkt/sdk/contract';
import { timingSafeEqual } from '../timing-safe-equal.js';
import type { Item, PageDescription } from './page-descriptions.js';
import type { WebContext } from './web-context.js';

/** The values of items that a page showed when it asked, by id. Its form contains them. */
export type Shown = ReadonlyMap<string, Item>;

/** Signed, because other text of that length could be millions of values, which take seconds to parse. */
export function shownText({ sign }: WebContext, shown: Shown): string {
  const text = deflateRawSync(JSON.stringify([...shown])).toString('base64url');
  return `${sign('shown', text)}.${text}`;
}

/** Null if the form is not from one of our pages. Text that is not valid shows nothing, so everything has changed. */
export function shownIn({ sign }: WebContext, form: FormData | null): Shown | null {
  const given = form?.get('shown');
  if (typeof given !== 'string') return null;
  const [signature = '', text = ''] = given.split('.', 2);
  if (!timingSafeEqual(signature, sign('shown', text))) return new Map();
  return new Map(JSON.parse(inflateRawSync(Buffer.from(text, 'base64url')).toString()) as [string, Item][]);
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

export const changesBetween = (before: Item, now: Item): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(now[field]),
  );
