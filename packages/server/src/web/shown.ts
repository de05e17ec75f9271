import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type Endpoint, hasKind, type Kind } from '@mkt/sdk/contract';
import { inPieces } from '../pieces.js';
import { timingSafeEqual } from '../timing-safe-equal.js';
import type { Item, PageDescription } from './page-descriptions.js';
import type { WebContext } from './web-context.js';

/** What a page showed when it asked, by the ids of its items: their values, or of many items only digests. */
export type Shown = ReadonlyMap<string, Item | string>;

/** Many items that an item contains: how many there are, and a digest of what they were. */
export interface Content {
  readonly text: string;
  readonly versions?: string;
}

export const isContent = (value: unknown): value is Content =>
  typeof value === 'object' && value !== null && 'text' in value;

/** So many items fit into a form with their values, and so many characters into a URL. */
const maxValues = 200;
const maxInUrl = 4000;

/** Signed, because other text of that length could be millions of values, which take seconds to parse. */
export async function shownText(
  { sign, site }: WebContext,
  items: readonly (readonly [string, Item])[],
  isInUrl = false,
) {
  const textWith = async (entryOf: (values: Item) => Item | string) => {
    const entries = await inPieces(items, (piece) => piece.map(([id, values]) => [id, entryOf(values)]));
    return deflateRawSync(JSON.stringify(entries.flat())).toString('base64url');
  };
  const whole = items.length > maxValues ? null : await textWith((values) => values);
  const fits = whole !== null && !(isInUrl && whole.length > maxInUrl);
  const text = fits ? whole : await textWith((values) => digestOf(site, values));
  return `${sign('shown', text)}.${text}`;
}

export const digestOf = ({ sha256 }: WebContext['site'], values: unknown): string =>
  sha256(JSON.stringify(values)).slice(0, 12);

/**
 * What a form, or the link to a question, was shown with; null if it is not from one of our pages. Text that is not valid shows
 * nothing, so everything has changed.
 */
export function shownIn({ sign }: WebContext, given: unknown): Shown | null {
  if (typeof given !== 'string') return null;
  const [signature = '', text = ''] = given.split('.', 2);
  if (!timingSafeEqual(signature, sign('shown', text))) return new Map();
  return new Map(JSON.parse(inflateRawSync(Buffer.from(text, 'base64url')).toString()) as [string, Item | string][]);
}

/** Fields that never change, that move by themselves, or that follow from others. */
const others: readonly Kind[] = ['identity', 'counter', 'derived'];
type Kinds = Pick<PageDescription, 'fields' | 'deletable'>;

/** Whether the field counts what is deleted with an item. The numbers of social accounts are only copies. */
export const isLost = ({ fields, deletable }: Kinds, field: string, { status }: Endpoint): boolean =>
  status === 204 && deletable !== undefined && hasKind(fields, field, 'counter');

/** Whether the page of an action shows the field: one that people set, or that counts what is deleted. */
export const isShown = (resource: Kinds, field: string, endpoint?: Endpoint): boolean =>
  (endpoint !== undefined && isLost(resource, field, endpoint)) ||
  !others.some((kind) => hasKind(resource.fields, field, kind));

const longest = 80;

export const isLong = (value: unknown): value is string => typeof value === 'string' && value.length > longest;

/** The beginning of a value, whole or as a form has it, without tags. */
export const beginningOf = (value: unknown): string =>
  `${String(value)
    .slice(0, longest)
    .replace(/<[^>]*(>|$)/g, ' ')
    .trim()}${isLong(value) ? '…' : ''}`;

/** A part of a text keeps all of it in memory. */
const copyOf = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');

/** What counts as shown: values of an item, for an action on it. Long texts are recognized by their beginning and a digest. */
export const shownValues = ({ sha256 }: WebContext['site'], resource: Kinds, item: Item, endpoint?: Endpoint): Item =>
  Object.fromEntries(
    Object.entries(item).flatMap(([field, value]) => {
      if (!isShown(resource, field, endpoint)) return [];
      return [[field, isLong(value) ? `${copyOf(value.slice(0, longest))}…${sha256(value).slice(0, 12)}` : value]];
    }),
  );

/** The fields of what has changed since a page showed it, which a digest does not name; null if nothing has. */
export function changesSince(site: WebContext['site'], before: Item | string, now: Item): readonly string[] | null {
  if (typeof before === 'string') return before === digestOf(site, now) ? null : [];
  const fields = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const changed = fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(now[field]));
  return changed.length > 0 ? changed : null;
}
