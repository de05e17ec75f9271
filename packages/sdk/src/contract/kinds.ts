import type { Endpoint } from './endpoint.js';
import type { KnownFields } from './fields.js';

/** What the value of a field is. Of a list, what each of its values is. */
export type ValueKind =
  | 'id'
  /** Free text. */
  | 'text'
  /** HTML that people write, such as a brief. Lists leave it out. */
  | 'richText'
  | 'url'
  /** The URL of an uploaded image. */
  | 'image'
  | 'email'
  | 'secret'
  /** A lowercase word of an open set, such as `ugc`. */
  | 'slug'
  | 'country'
  | 'currency'
  | 'platform'
  /** An integer in the currency that `money` of the resource names. */
  | 'amount'
  /** Any other integer. */
  | 'number'
  /** A decimal in a string. */
  | 'decimal'
  | 'timestamp'
  /** The state of the item, which actions change. */
  | 'state'
  /** A word of a closed set. */
  | 'choice'
  | 'flag'
  /** Asks for the removal of an image. Only in requests. */
  | 'purge';

/** What else is true of a field. */
export type Trait =
  /** Moves by itself, such as views. */
  | 'counter'
  /** Follows from other fields, or from when they changed. */
  | 'derived'
  /** Belongs to one item for all time: its id, its URL, its creation. */
  | 'identity'
  /** A required part of a postal address. The position follows from it. */
  | 'place'
  /** Where an address is on a map. */
  | 'position'
  /** About a person. Like secrets and e-mail addresses, it is kept out of records on the user's machine. */
  | 'personal';

export type Kind = ValueKind | Trait;
export type FieldKind = ValueKind | readonly [ValueKind, ...Trait[]];

/** The kinds of the fields of an object, which may contain objects. */
export interface FieldKinds {
  readonly [field: string]: FieldKind | FieldKinds;
}

type Element<Value> = NonNullable<Value> extends readonly (infer Each)[] ? Each : NonNullable<Value>;
/** The kinds of all fields: one that has none does not compile. */
export type KindsOf<Fields> = {
  readonly [Name in keyof Fields]-?: Element<Fields[Name]> extends object ? KindsOf<Element<Fields[Name]>> : FieldKind;
};

type All<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer Each) => void
  ? Each
  : never;
type FieldsOf<Operation> =
  Operation extends Endpoint<infer Item, infer Fields> ? KnownFields<Item> | Required<Fields> : never;

/** The operations whose fields are those of the resource itself. */
type Own = 'list' | 'get' | 'create' | 'update';
/** All fields of a resource, in responses and in requests. */
export type OwnFields<Operations> = All<FieldsOf<Operations[keyof Operations & Own]>>;
/** The fields of each other operation that has some: those of the rows of a list below an item. */
export type OtherFields<Operations> = {
  [Name in Exclude<keyof Operations, Own> as [FieldsOf<Operations[Name]>] extends [never] ? never : Name]: All<
    FieldsOf<Operations[Name]>
  >;
};

/** Whether a field is of a kind; `user.name` is the `name` inside `user`. */
export function hasKind(fields: FieldKinds, path: string, kind: Kind): boolean {
  const [field = '', ...rest] = path.split('.');
  const found: unknown = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (rest.length === 0) return found === kind || (Array.isArray(found) && found.includes(kind));
  return typeof found === 'object' && hasKind(found as FieldKinds, rest.join('.'), kind);
}

type Each<Of> = Of extends readonly (infer Part)[] ? Part : Of;
/** The names of the fields that are of a kind. */
export type FieldOfKind<Fields, Of extends Kind> = {
  [Name in keyof Fields & string]: Extract<Each<Fields[Name]>, Of> extends never ? never : Name;
}[keyof Fields & string];

/** The names of the fields that are of one of these kinds, without those inside objects. */
export const fieldsOfKind = <Fields extends FieldKinds, Of extends Kind>(fields: Fields, ...kinds: readonly Of[]) =>
  Object.keys(fields).filter((field): field is FieldOfKind<Fields, Of> =>
    kinds.some((kind) => hasKind(fields, field, kind)),
  );
