import type { Context } from './context.js';

/** How the text of a flag becomes a value. `list` splits at commas and may be given several times. */
export type FlagKind = 'switch' | 'text' | 'integer' | 'decimal' | 'boolean' | 'list' | 'seconds' | 'path';

export interface Flag {
  /** Without the dashes: `cpm-amount`. */
  readonly name: string;
  readonly short?: string;
  readonly kind: FlagKind;
  /** The placeholder in help: `--page N`. Switches have none. */
  readonly value?: string;
  readonly description: string;
  /** May be given several times; the value is then a list, without splitting at commas. */
  readonly repeatable?: boolean;
  /** The only values it takes. */
  readonly choices?: readonly string[];
  /** A second spelling that works and is not advertised. */
  readonly hidden?: boolean;
  /** Of a flag that carries a field of the API: its name there. */
  readonly field?: string;
  /** Whether the API demands the field; asked for on a terminal when it is missing. */
  readonly required?: boolean;
  /** Of a flag that filters a list, here and not at the service: the field it looks at, and how. */
  readonly filter?: Filter;
}

export interface Filter {
  readonly field: string;
  /** `equals`: one of several values; `contains`: part of the text, whatever its case. Lists match by any item. */
  readonly match: 'equals' | 'contains';
}

export interface Argument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly variadic?: boolean;
}

export interface Example {
  /** What is typed, from `mkt` on; works as it stands on the demo data. */
  readonly line: string;
  readonly about?: string;
  /** Exit code when it is not 0, such as 10 for a deletion without `--yes`. */
  readonly exit?: number;
}

export interface Sample {
  readonly name: string;
  readonly lines: readonly string[];
}

/** The values of a command line, by flag name. */
export type FlagValues = Readonly<Record<string, unknown>>;

export interface Invocation {
  readonly args: readonly string[];
  readonly flags: FlagValues;
  readonly leaf: Leaf;
  /** As typed: `campaigns list`. */
  readonly path: string;
}

export type Run = (context: Context, invocation: Invocation) => Promise<void>;

/** A command that does something: data plus one `run`. Help, parsing, the surface snapshot and the docs read this. */
export interface Leaf {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** One line, imperative, no full stop. */
  readonly summary: string;
  /** What else a person needs to know, in plain sentences. */
  readonly notes?: readonly string[];
  readonly args?: readonly Argument[];
  readonly flags?: readonly Flag[];
  /** Name of the contract's request schema that more flags follow from, and fields of it that have no flag of their own. */
  readonly fields?: FieldFlags;
  /** Name of the contract's schema of what `--json` prints; null where the command prints no rows. */
  readonly prints?: string | null;
  readonly examples: readonly Example[];
  /** A file that the examples read, shown in help. */
  readonly sample?: Sample;
  /** Whether `--profile` may name one that is not there. */
  readonly newProfile?: boolean;
  readonly load: () => Promise<Run>;
}

export interface FieldFlags {
  /** A name of `@mkt/sdk/contract`, such as `campaignFields`. */
  readonly schema: string;
  /** Whether fields that the schema demands are demanded here (a change takes any subset). */
  readonly partial: boolean;
  /** A file that is sent beside the fields, such as the logo. */
  readonly file?: string;
}

/** A noun and its verbs. */
export interface Group {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly leaves: readonly Leaf[];
}

export type Command = Group | Leaf;
export const isGroup = (command: Command): command is Group => 'leaves' in command;
