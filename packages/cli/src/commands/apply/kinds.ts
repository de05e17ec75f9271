import { campaignChanges, collabFields, contract, type ResourceDescription, resources } from '@mkt/sdk/contract';
import { campaigns, collabs, type Resource } from '../../api/resources.js';
import { type States, statesOf } from './states.js';

/** The write-only flag of collabs; declared as `true` it means: no banner. */
export const PURGE = 'purge_banner_image';

interface Checked {
  readonly success: boolean;
  readonly error?: { readonly issues: readonly Issue[] } | undefined;
}

export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly expected?: string;
}

/** The check of one field by the contract. */
export interface FieldSchema {
  readonly safeParse: (value: unknown) => Checked;
}

/** A noun that can be declared. */
export interface Kind {
  /** The key in the file. */
  readonly key: 'campaigns' | 'collabs';
  readonly resource: Resource;
  readonly states: States;
  /** The writable fields, by the contract's request schema. */
  readonly schemas: Readonly<Record<string, FieldSchema>>;
  readonly description: ResourceDescription;
}

export const kinds: readonly Kind[] = [
  {
    key: 'campaigns',
    resource: campaigns,
    states: statesOf(resources.campaigns.states, contract.campaigns),
    schemas: campaignChanges.shape as unknown as Kind['schemas'],
    description: resources.campaigns,
  },
  {
    key: 'collabs',
    resource: collabs,
    states: statesOf(resources.collabs.states, contract.collabs),
    schemas: collabFields.shape as unknown as Kind['schemas'],
    description: resources.collabs,
  },
];
