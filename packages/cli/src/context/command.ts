import type * as contract from '@mkt/sdk/contract';
import type { CliError } from '../errors/cli-error.js';
import type { Format } from '../text/formats.js';
import type { Context } from './context.js';
import type { Completes, Flag, FlagValues } from './flags.js';

export interface Argument {
  readonly name: string;
  readonly description: string;
  /** Whether commander rejects a command line without it. */
  readonly required?: boolean;
  readonly variadic?: boolean;
  readonly completes?: Completes;
}

export interface Example {
  /** The whole line, starting with `mkt`; it works on the demo data. */
  readonly line: string;
  readonly about?: string;
  /** Exit code if it is not 0, such as 10 for a deletion without `--yes`. */
  readonly exit?: number;
}

export interface Sample {
  readonly name: string;
  readonly lines: readonly string[];
}

type Contract = typeof contract;

/** The object schemas of the contract, by name. */
export type SchemaName = {
  [Name in keyof Contract]: Contract[Name] extends { readonly shape: object } ? Name : never;
}[keyof Contract];

/** The fields that a request schema of the contract describes. */
export type FieldsOf<Schema extends SchemaName> = Contract[Schema]['_zod']['output'];

/** Flags that follow from a request schema of the contract, one per field. */
export interface FieldFlags<Schema extends SchemaName = SchemaName> {
  readonly schema: Schema;
  /** The name under which the API takes the fields, such as `campaign`. */
  readonly wrapper: string;
  /** Whether required fields may be left out: a change takes any subset. */
  readonly partial: boolean;
  /** A file that is sent with the fields, such as the logo. */
  readonly file?: string;
  /** Flags for the fields, instead of one per field of the schema and `--file`. */
  readonly flags?: readonly Flag[];
}

export interface Invocation<Flags extends readonly Flag[] = readonly Flag[], Schema extends SchemaName = SchemaName> {
  /** The parser has rejected a line without the required ones. */
  readonly args: readonly string[];
  readonly flags: FlagValues<Flags>;
  readonly command: Command<Schema>;
  /** The words that name the command: `campaigns list`. */
  readonly path: string;
}

export interface CommandData<Flags, Schema extends SchemaName> {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** One line, imperative, no full stop. */
  readonly summary: string;
  /** Further information, in full sentences. */
  readonly notes?: readonly string[];
  /** By flags that users try: what to do instead. */
  readonly insteadOf?: Readonly<Record<string, string>>;
  readonly args?: readonly Argument[];
  readonly flags?: Flags;
  readonly fields?: FieldFlags<Schema>;
  /** The contract's schema of what `--json` prints; none for a command that prints no resources. */
  readonly prints?: string;
  /** Fields that mkt computes, which only `--fields` and `--sort` name. */
  readonly computed?: readonly string[];
  /**
   * For a command that prints no rows. `nothing`: with a format for programs, it prints `{"ok": true}` when it is done.
   * Otherwise the formats that it can print: other ones are rejected, and so are `--fields` and `--jq`.
   */
  readonly output?: 'nothing' | readonly Format[];
  readonly examples: readonly Example[];
  /** A file that the examples read, shown in help. */
  readonly sample?: Sample;
  /** Replaces the error for an argument too many, where users often give one. */
  readonly rejectArgument?: () => CliError;
  /** Whether `--profile` may name a new profile. */
  readonly newProfile?: boolean;
  /** Whether all words after the name go to the handler unparsed, including flags and `--help`. */
  readonly passThrough?: boolean;
}

/** A command: data and its handler. Parsing, help, completion, the surface snapshot and the docs read the data. */
export interface Command<Schema extends SchemaName = SchemaName> extends CommandData<readonly Flag[], Schema> {
  readonly run: (context: Context, invocation: Invocation) => Promise<void>;
}

interface Definition<Flags extends readonly Flag[], Schema extends SchemaName> extends CommandData<Flags, Schema> {
  /** Handlers `import()` what they need: definitions are loaded for every command line. */
  readonly run: (context: Context, invocation: Invocation<Flags, Schema>) => Promise<void>;
}

/** Defines a command whose handler gets its flags and fields typed by the definition. */
export const defineCommand = <
  const Flags extends readonly Flag[] = readonly [],
  const Schema extends SchemaName = never,
>(
  definition: Definition<Flags, Schema>,
): Command => ({
  ...definition,
  // The parser returns values of the types that the definition names.
  run: (context, invocation) => definition.run(context, invocation as Invocation<Flags, Schema>),
});

export interface Elsewhere {
  readonly words: readonly string[];
  readonly sentence: string;
  /** What comes closest. */
  readonly command: string;
}

/** Commands on one resource or subject. */
export interface CommandGroup {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** Names that users try, with the command that they mean: it is suggested, because it may do something else. */
  readonly mistaken?: Readonly<Record<string, string>>;
  /** What the API does not offer, by the names that users try: where it is done instead. */
  readonly elsewhere?: readonly Elsewhere[];
  /** Made when they are needed, because `mkt --help` needs only the name of the group. */
  readonly commands: () => readonly Command[];
}

export type CommandNode = Command | CommandGroup;
export const isGroup = (node: CommandNode): node is CommandGroup => 'commands' in node;
