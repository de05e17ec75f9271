import { campaignFields, collabFields, type ResourceDescription, resources } from '@mkt/sdk/contract';
import { fieldFlags, fieldNames } from '../../api/field-flags.js';
import { campaigns, collabs, type Resource } from '../../api/resources.js';
import type { Flag } from '../../context/command.js';
import type { importable } from '../../context/importable.js';

export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly expected?: string;
}

/** A noun that can be imported. */
export interface Kind {
  readonly noun: (typeof importable)[number];
  readonly resource: Resource;
  /** The flag of its list that shows drafts alone. */
  readonly drafts: string;
  /** The fields that a creation takes, with their kinds. */
  readonly fields: readonly Flag[];
  /** Fields of the API that a creation does not take: an exported file has them. */
  readonly readOnly: readonly string[];
  /** Pairs of amounts of which the first is at most the second. */
  readonly ranges: NonNullable<ResourceDescription['money']>['ranges'];
  /** What the contract has against these fields of a creation. */
  readonly issues: (fields: Readonly<Record<string, unknown>>) => readonly Issue[];
}

const schemas = { campaignFields, collabFields };

function kindOf(noun: Kind['noun'], resource: Resource, name: keyof typeof schemas): Kind {
  const { states, money }: ResourceDescription = resources[noun];
  // A new one has no picture that could be removed (D30).
  const fields = fieldFlags({ schema: name, wrapper: '', partial: false }).filter(({ kind }) => kind !== 'switch');
  const writable = fields.map(({ field }) => field);
  return {
    noun,
    resource,
    drafts: `--${states?.field} ${states?.initial}`,
    fields,
    readOnly: [...fieldNames(resource.schema), ...fieldNames(name)].filter((field) => !writable.includes(field)),
    ranges: money?.ranges ?? [],
    issues: (values) => schemas[name].safeParse(values).error?.issues ?? [],
  };
}

/** What is known of a noun, from the contract. */
export const kindNamed = (noun: (typeof importable)[number]): Kind =>
  noun === 'campaigns' ? kindOf(noun, campaigns, 'campaignFields') : kindOf(noun, collabs, 'collabFields');
