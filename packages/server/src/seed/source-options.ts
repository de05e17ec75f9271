import type { IdFormat } from '../store/tables.js';

/** The format of ids that a seed asks for with its key `ids`; integers by default. */
export const idsOfSeed = (source: string | object): IdFormat =>
  (
    typeof source === 'string'
      ? /(?:^\ufeff?|\r|\n)(?: {2}")?ids"?: *["']?opaque/.test(source)
      : Object(source).ids === 'opaque'
  )
    ? 'opaque'
    : 'integer';

/** `name`, with a number if there is one already. */
export function freeName(existing: object, name: string): string {
  let free = name;
  for (let count = 2; Object.hasOwn(existing, free); count += 1) free = `${name}_${count}`;
  return free;
}

/** Items per page of the service that a twin was pulled from; undefined for other seeds. */
export const pageSizeOfSeed = (source: string | object): number | undefined => {
  const size: unknown =
    typeof source === 'string'
      ? /^\ufeff?\{\n {2}"twin": \{[^}]*\n {4}"page_size": (\d+)/.exec(source)?.[1]
      : Object(Object(source).twin).page_size;
  return Number(size) || undefined;
};
