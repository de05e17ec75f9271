import type { Method } from '../contract/endpoint.js';
import { ConfigurationError } from '../errors.js';

/** An id as it goes in: integers by the contract, opaque strings on some services (D47). */
export type Id = number | string;

/**
 * What a representation promises: a type expression per field (`string|null`, `"draft"|"active"`, `string[]`), or the
 * fields of a nested object. A name that ends in `?` may be absent.
 */
export interface Shape {
  readonly [field: string]: string | Shape;
}

/** An endpoint of the contract as the client needs it. */
export interface Operation<Item = unknown> {
  readonly operation: string;
  readonly method: Method | 'HEAD' | 'PUT';
  readonly path: string;
  /** The name under which a body holds its fields. */
  readonly wrapper?: string;
  /** The field that takes a file. */
  readonly file?: string;
  readonly shape?: Shape;
  /** Whether the answer is a page of items, each of this shape. */
  readonly list?: boolean;
  readonly etag?: boolean;
  /** Carries the type of the item; there is no value behind it. */
  readonly item?: Item;
}

const isId = (id: unknown): id is Id =>
  typeof id === 'number' ? Number.isSafeInteger(id) : typeof id === 'string' && !/^(\s*|\.\.?)$/.test(id);

/** The path with its parameters filled in, each percent-encoded as one segment; wrong ids throw. */
export function fillPath({ operation, path }: Operation, ids: readonly unknown[]): string {
  let position = 0;
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const id = ids[position++];
    if (isId(id)) {
      try {
        return encodeURIComponent(id);
      } catch (cause) {
        throw new ConfigurationError(`${operation}: ${name} holds half of a surrogate pair.`, { cause });
      }
    }
    const given = typeof id === 'string' ? JSON.stringify(id) : String(id);
    throw new ConfigurationError(`${operation}: ${given} is no ${name}. Give an integer or a non-empty string.`);
  });
}
