import { FORMATS } from '../config/format.js';

/** How the text of a flag becomes a value. `list` splits at commas and may be given several times. */
export type FlagKind = 'switch' | 'text' | 'integer' | 'decimal' | 'boolean' | 'list' | 'seconds' | 'path';

/** What completion offers for an argument or the value of a flag. */
export type Completes =
  | { readonly choices: readonly string[] }
  /** Ids from recent lists of this command group; with `names` also names or e-mail addresses. */
  | { readonly listed: string; readonly names?: true }
  /** Ids of the command group that the first argument names, if it is one of these. */
  | { readonly listedOf: readonly string[] }
  | { readonly from: 'files' | 'profiles' | 'commands' };

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
  /** The API field that the flag sets. */
  readonly field?: string;
  /** Whether the API requires the field; on a terminal mkt asks for a missing one. */
  readonly required?: boolean;
  /** For a flag that filters a list in mkt, not in the service: the field and the comparison. */
  readonly filter?: Filter;
  readonly completes?: Completes;
}

export interface Filter {
  readonly field: string;
  /** `equals`: one of several values; `contains`: part of the text, ignoring case. Lists match by any item. */
  readonly match: 'equals' | 'contains';
}

type FlagValue<Given extends Flag> = Given extends { readonly kind: 'switch' | 'boolean' }
  ? boolean
  : Given extends { readonly kind: 'integer' | 'decimal' | 'seconds' }
    ? number
    : Given extends { readonly kind: 'list' } | { readonly repeatable: true }
      ? readonly string[]
      : Given extends { readonly choices: readonly (infer Choice)[] }
        ? Choice
        : string;

/** The values of a command line by flag name, typed by the flags of the command. */
export type FlagValues<Flags extends readonly Flag[] = readonly Flag[]> = string extends Flags[number]['name']
  ? Readonly<Record<string, unknown>>
  : { readonly [Given in Flags[number] as Given['name']]?: FlagValue<Given> };

/** The flags that every command takes. */
export const globalFlags = [
  {
    name: 'org',
    kind: 'text',
    value: 'ID|NAME',
    description: 'Organization to work in (MKT_ORG)',
    completes: { listed: 'organizations', names: true },
  },
  {
    name: 'profile',
    kind: 'text',
    value: 'NAME',
    description: 'Stored sign-in to use (MKT_PROFILE)',
    completes: { from: 'profiles' },
  },
  { name: 'base-url', kind: 'text', value: 'URL', description: 'Address of the service (MKT_BASE_URL)' },
  { name: 'format', kind: 'text', value: 'FORMAT', choices: FORMATS, description: `Output: ${FORMATS.join(', ')}` },
  { name: 'json', kind: 'switch', description: 'The same as --format json' },
  { name: 'fields', kind: 'list', value: 'A,B', description: 'Only these fields, in this order' },
  { name: 'jq', kind: 'text', value: 'EXPR', description: 'Filter the JSON with a jq expression' },
  { name: 'no-header', kind: 'switch', description: 'Leave the header out of table, csv and tsv' },
  { name: 'quiet', short: 'q', kind: 'switch', description: 'No receipts, footers or progress' },
  { name: 'verbose', short: 'v', kind: 'switch', description: 'Say what is requested' },
  { name: 'debug', kind: 'switch', description: 'Headers and stack traces too; secrets are masked (MKT_DEBUG)' },
  { name: 'no-color', kind: 'switch', description: 'No colour (NO_COLOR)' },
  { name: 'no-input', kind: 'switch', description: 'Never ask anything (MKT_NO_INPUT)' },
  { name: 'yes', short: 'y', kind: 'switch', description: 'Answer yes to every confirmation' },
  { name: 'timeout', kind: 'seconds', value: 'SECONDS', description: 'Give up on a request after this long' },
] as const satisfies readonly Flag[];

export type GlobalOptions = FlagValues<typeof globalFlags>;
