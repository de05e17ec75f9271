// Types that need no schemas: the declarations of the main entry compile without those of zod.

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** An id: an integer by the contract, an opaque string on some services. */
export type Id = number | string;

/**
 * An open set of values. Editors complete the known ones, and any other string is accepted, so
 * that a new value of the service does not break clients.
 */
export type Open<Value extends string> = Value | (string & {});

/** Asks for the removal of an image: `"1"`, `1` and `true` do, anything else does not. */
export type Purge = '1' | 1 | true;

/** Any subset of fields. */
export type Changes<Fields> = { [Name in keyof Fields]?: Fields[Name] | undefined };

/** Marks a field that only the server sets. Leave it out, as `const { id, ...fields } = campaign` does. */
export interface SetByServer {
  readonly 'the server sets this field: leave it out': never;
}

/**
 * The fields of a request, without those that only a response has: spreading a whole item into a change is a mistake, and
 * spreading a change over an item gives an item, as optimistic updates do.
 */
export type Writable<Fields, Item> = Fields & {
  readonly [Name in Exclude<keyof Item, keyof Fields>]?: Item[Name] & SetByServer;
};

/** One difference between a response and the contract. */
export interface Issue {
  /** Where in the response: `['items', 3, 'status']`. */
  readonly path: readonly (string | number)[];
  /** The type that the contract promises there: `string|null`, `"draft"|"active"`. */
  readonly expected: string;
  /** The type that came instead; the value itself for a name outside a known set. */
  readonly received: string;
}
