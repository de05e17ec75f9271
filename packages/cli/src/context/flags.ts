import type { FieldKinds } from '@mkt/sdk/contract';
import { FORMATS, HEADED } from '../text/formats.js';
import { quoted } from '../text/quoted.js';

/** How the text of a flag becomes a value. `list` splits at commas and may be given several times. */
export type FlagKind = 'switch' | 'text' | 'integer' | 'boolean' | 'list' | 'seconds' | 'path';

/** The candidates of completion for an argument or the value of a flag. */
export type Completes =
  /** With `orFile`, files if none of them begins with what is typed. */
  | { readonly choices: readonly string[]; readonly orFile?: boolean }
  | { readonly codes: 'country' | 'currency' }
  /**
   * Ids from recent lists of this command group, of resources in one of the states; with `names` also names or e-mail
   * addresses, with `typed` only those that start with what is typed.
   */
  | { readonly listed: string; readonly names?: true | 'typed'; readonly states?: readonly string[] | undefined }
  /** Ids of the command group that the first argument names, if it is one of these. */
  | { readonly listedOf: readonly string[] }
  /** What the first argument decides. */
  | { readonly byArgument: Readonly<Record<string, Completes>> }
  | { readonly from: 'files' | 'profiles' | 'commands' };

export interface Flag {
  /** Without the dashes: `cpm-amount`. */
  readonly name: string;
  readonly short?: string;
  readonly kind: FlagKind;
  /** The placeholder in help: `--page N`. Switches have none. */
  readonly value?: string;
  readonly description: string;
  /** What the service sets without the flag, in words. */
  readonly standard?: string;
  /** May be given several times; the value is then a list, without splitting at commas. */
  readonly repeatable?: boolean;
  readonly choices?: readonly string[];
  /** The value is a code of this kind, or a list of them. */
  readonly codes?: 'country' | 'currency';
  /** For the flag of a field: the values of the contract. A service may have others. */
  readonly known?: readonly string[];
  /** For the flag of a field: `none` clears it. */
  readonly clearable?: boolean;
  /** An alternative name that works but is not shown in help. */
  readonly hidden?: boolean;
  /** The API field that the flag sets. */
  readonly field?: string;
  /** The API field whose value the service takes from elsewhere because of the flag. */
  readonly fills?: string;
  /** Whether the API requires the field; on a terminal mkt prompts for a missing one. */
  readonly required?: boolean;
  /** For a flag that filters a list in mkt, not in the service: the field and the comparison. */
  readonly filter?: Filter;
  readonly completes?: Completes;
}

export interface Filter {
  readonly field: string;
  /** The fields that the history adds to the rows that match. */
  readonly adds?: FieldKinds;
  /** The values of the contract. A service may have others; none if a list can have any value. */
  readonly known?: readonly string[];
  /**
   * `equals`: one of several values; `excludes`: none of them; `contains`: part of the text, ignoring case. Lists match
   * by any item. `since`: a time not before the given one; `before`: an earlier one. `atLeast`: a number.
   * `recordedSince`, `recordedUntil`: what the history knows of the row since a time, or expects until then.
   */
  readonly match:
    | ('equals' | 'excludes' | 'contains' | 'since' | 'before' | 'atLeast')
    | ('recordedSince' | 'recordedUntil');
}

type FlagValue<Given extends Flag> = Given extends { readonly kind: 'switch' | 'boolean' }
  ? boolean
  : Given extends { readonly kind: 'integer' | 'seconds' }
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

/** The values of `--delimiter`, and the characters they mean. */
export const DELIMITERS: Readonly<Record<string, string>> = { ',': ',', ';': ';', '|': '|', tab: '\t' };

/** The flags that every command takes. */
export const globalFlags = [
  {
    name: 'org',
    kind: 'text',
    value: 'ID|NAME',
    description: 'Organization (MKT_ORG); to read several, separate with commas',
    completes: { listed: 'organizations', names: true },
  },
  { name: 'all-orgs', kind: 'switch', description: 'Read all your organizations' },
  {
    name: 'profile',
    kind: 'text',
    value: 'NAME',
    description: 'Stored sign-in to use (MKT_PROFILE)',
    completes: { from: 'profiles' },
  },
  { name: 'base-url', kind: 'text', value: 'URL', description: 'URL of the service (MKT_BASE_URL)' },
  { name: 'format', kind: 'text', value: 'FORMAT', choices: FORMATS, description: `Output: ${FORMATS.join(', ')}` },
  { name: 'json', kind: 'switch', description: 'Same as --format json' },
  { name: 'fields', kind: 'list', value: 'A,B', description: 'Only these fields, in this order' },
  { name: 'jq', kind: 'text', value: 'EXPR', description: 'Filter the JSON with a jq expression' },
  {
    name: 'delimiter',
    kind: 'text',
    value: 'C',
    description: "Between the cells of csv: ',' ';' '|' or tab",
    choices: Object.keys(DELIMITERS),
  },
  { name: 'no-header', kind: 'switch', description: `Omit the header of ${HEADED.join(', ')}` },
  { name: 'quiet', short: 'q', kind: 'switch', description: 'No receipts, footers or progress' },
  { name: 'verbose', short: 'v', kind: 'switch', description: 'Show each request' },
  { name: 'debug', kind: 'switch', description: 'Also show headers and stack traces, with secrets masked (MKT_DEBUG)' },
  { name: 'no-color', kind: 'switch', description: 'No color (NO_COLOR)' },
  { name: 'no-input', kind: 'switch', description: 'Never prompt (MKT_NO_INPUT)' },
  { name: 'yes', short: 'y', kind: 'switch', description: 'Answer yes to every confirmation' },
  { name: 'wait', kind: 'switch', description: 'Wait more than 10 minutes if the service asks for it' },
  { name: 'timeout', kind: 'seconds', value: 'SECONDS', description: 'Time limit of each request' },
] as const satisfies readonly Flag[];

export type GlobalOptions = FlagValues<typeof globalFlags>;

interface WithOptions {
  readonly options: GlobalOptions;
}

/** A flag as it is typed. */
export const words = (name: string, value: unknown): string[] => {
  if (value === undefined || value === false) return [];
  if (value === true) return [`--${name}`];
  // A cleared field.
  if (value === null || (Array.isArray(value) && value.length === 0)) return [`--${name}`, 'none'];
  return [`--${name}`, quoted(Array.isArray(value) ? value.join(',') : String(value))];
};

const joined = (flags: FlagValues): string =>
  Object.entries(flags)
    .flatMap(([name, value]) => words(name, value).map((word) => ` ${word}`))
    .join('');

/** The flags that chose the service, for hints with another command. */
export const serviceFlags = ({ options }: WithOptions): string =>
  joined({ profile: options.profile, 'base-url': options['base-url'] });

/** The flags that chose the organization and the service, for hints with another command. */
export const placeFlags = (context: WithOptions): string =>
  joined({ org: context.options.org, 'all-orgs': context.options['all-orgs'] }) + serviceFlags(context);
