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

/** An id as one percent-encoded segment of a path. */
function segment(operation: string, name: string, id: unknown): string {
  if (typeof id === 'number' && Number.isSafeInteger(id)) return String(id);
  const isText = typeof id === 'string';
  if (!isText || /^(\s*|\.\.?)$/.test(id))
    throw new ConfigurationError(
      `${operation}: ${isText ? JSON.stringify(id) : String(id)} is no ${name}. Give an integer or a non-empty string.`,
    );
  try {
    return encodeURIComponent(id);
  } catch (cause) {
    throw new ConfigurationError(`${operation}: ${name} holds half of a surrogate pair.`, { cause });
  }
}

/** The path with its parameters filled in; wrong ids throw. */
export const fillPath = ({ operation, path }: Operation, ids: readonly unknown[]): string =>
  path
    .split(/:(\w+)/)
    .map((part, index) => (index % 2 === 1 ? segment(operation, part, ids[(index - 1) / 2]) : part))
    .join('');
