import type { Transition } from './endpoint.js';

/** A state change that the marketplace makes itself. No client can make it. */
export interface MarketplaceTransition<State extends string = string> extends Transition<State> {
  /** Whether clients wait for it: the expected outcome of what they started. */
  readonly awaited?: boolean;
}

export interface States<Field extends string = string, State extends string = string> {
  /** The field that holds the state. */
  readonly field: Field;
  readonly names: readonly State[];
  /** The state of a new one. */
  readonly initial: State;
  readonly marketplace: Readonly<Record<string, MarketplaceTransition<State>>>;
}

export interface Money<Field extends string = string> {
  /** The field with the currency of all these amounts. */
  readonly currency: Field;
  readonly fields: readonly Field[];
  /** Pairs of amounts of which the first is at most the second. */
  readonly ranges: readonly { readonly min: Field; readonly max: Field }[];
}

export interface Locked<Field extends string = string> {
  /** The field that locks the others once it is not null. */
  readonly since: Field;
  readonly fields: readonly Field[];
}

type FieldName<Item> = keyof Item & string;

/**
 * Everything about a resource that is true wherever it appears, besides its schemas and endpoints. Rules, OpenAPI, pages,
 * the command line and the reference read it. The client does not import it, so it costs browsers nothing.
 */
export interface ResourceDescription<Item = Readonly<Record<string, unknown>>> {
  /** The first part of its operations: `campaigns`. */
  readonly name: string;
  readonly singular: string;
  readonly plural: string;
  readonly heading: string;
  /** One or two sentences for readers of the reference. */
  readonly about: string;
  /** The field that people call one by; `user.name` is the `name` inside `user`. */
  readonly title: FieldName<Item> | `${FieldName<Item>}.${string}`;
  readonly states?: States<FieldName<Item>>;
  /** What a new one has in fields that are left out, where that does not depend on the organization. */
  readonly defaults?: Readonly<Partial<Record<FieldName<Item>, string | number | boolean | readonly string[]>>>;
  readonly money?: Money<FieldName<Item>>;
  readonly locked?: Locked<FieldName<Item>>;
}
