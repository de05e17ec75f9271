import type { contract, Endpoint, OperationName } from '@mkt/sdk/contract';
import type { FaultEffect, Patch } from './fault-rules.js';

type Contract = typeof contract;
type EndpointOf<Name> = Name extends `${infer Resource extends keyof Contract}.${infer Operation}`
  ? Operation extends keyof Contract[Resource]
    ? Contract[Resource][Operation]
    : never
  : never;
/** Without the unknown fields that responses may have, so that misspelt ones do not compile. */
type KnownFields<Value> = { [Key in keyof Value as string extends Key ? never : Key]: Value[Key] };
/** With any text in place of known ones: a newer service may have other states. */
type WithAnyText<Value> = Value extends string
  ? string
  : Value extends object
    ? { [Key in keyof Value]: WithAnyText<Value[Key]> }
    : Value;
type ItemOf<Name> = EndpointOf<Name> extends Endpoint<infer Item, infer _Fields> ? Item : never;

/** The JSON of an operation's successful response: an item, or a list of them; undefined if it has none. */
export type OperationResponse<Name extends OperationName> = [ItemOf<Name>] extends [never]
  ? undefined
  : Name extends `${string}.list`
    ? KnownFields<ItemOf<Name>>[]
    : KnownFields<ItemOf<Name>>;

type PatchOf<Name extends OperationName> = [OperationName] extends [Name]
  ? Patch
  : Partial<WithAnyText<KnownFields<ItemOf<Name>>>> | ((json: OperationResponse<Name>) => unknown);

type ObjectEffect = Exclude<FaultEffect, string>;
type KeyOf<Union> = Union extends unknown ? keyof Union : never;
/** One of the effects: a field of another one does not compile. */
type Only<Effect, Name extends OperationName> = Effect extends unknown
  ? Omit<Effect, 'patch'> &
      ('patch' extends keyof Effect ? { readonly patch: PatchOf<Name> } : unknown) & {
        readonly [Key in Exclude<KeyOf<ObjectEffect>, keyof Effect>]?: never;
      }
  : never;

/** The effect of a fault on an operation; on every one by default. */
export type EffectOf<Name extends OperationName = OperationName> =
  | Extract<FaultEffect, string>
  | Only<ObjectEffect, Name>;

/** What an override gets. */
export interface OverrideCall<Name extends OperationName> {
  readonly request: Request;
  /**
   * A response with this JSON, and with the operation's status and common headers; for a list also with its totals.
   * @param init `status` and `headers` that replace these
   */
  readonly response: (
    json: OperationResponse<Name>,
    init?: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> },
  ) => Response;
}

// biome-ignore lint/suspicious/noConfusingVoidType: an override may end without a return statement.
type OverrideResult = Response | undefined | void;

/** Responds to an operation in place of the marketplace; undefined goes on to the previous override, then to the marketplace. */
export type Override<Name extends OperationName = OperationName> = (
  call: OverrideCall<Name>,
) => OverrideResult | Promise<OverrideResult>;

export interface Entry {
  readonly operation: OperationName;
  readonly override: Override;
}
