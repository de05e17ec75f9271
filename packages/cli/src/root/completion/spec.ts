/** Where the values of an argument or a flag come from. */
export type Source =
  /** These and no others. */
  | { readonly choices: readonly string[] }
  /** Ids of what was listed lately; `other` says that names or e-mail addresses are taken too. */
  | { readonly listed: string; readonly other?: true }
  /** Ids of the noun that the first argument names, where it is one of these. */
  | { readonly listed: null; readonly of: readonly string[] }
  | { readonly from: 'files' | 'profiles' | 'commands' }
  | null;

export interface FlagSpec {
  readonly name: string;
  readonly short?: string;
  readonly about: string;
  /** Undefined: it takes no value. */
  readonly value?: Source;
  /** Several values with commas. */
  readonly list?: true;
  readonly repeatable?: true;
}

export interface CommandSpec {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly about: string;
  /** Of a group. */
  readonly commands?: readonly CommandSpec[];
  readonly args?: readonly (Source | { readonly rest: Source })[];
  readonly flags?: readonly FlagSpec[];
}

/** What completion knows without loading a command. */
export interface Spec {
  readonly flags: readonly FlagSpec[];
  readonly commands: readonly CommandSpec[];
}
