import { campaignChanges, collabFields, resources } from '@mkt/sdk/contract';
import { campaigns, collabs, type Resource } from '../../api/resources.js';
import { campaignStates, collabStates, type States } from './states.js';

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
  /** What the API calls its state. */
  readonly stateField: 'status' | 'state';
  readonly states: States;
  /** The writable fields, by the contract's request schema. */
  readonly schemas: Readonly<Record<string, FieldSchema>>;
  /** Fixed after publication (api.md, Campaigns rule 3). */
  readonly fixedOncePublished: readonly string[];
}

export const kinds: readonly Kind[] = [
  {
    key: 'campaigns',
    resource: campaigns,
    stateField: 'status',
    states: campaignStates,
    schemas: campaignChanges.shape as unknown as Kind['schemas'],
    fixedOncePublished: resources.campaigns.locked.fields,
  },
  {
    key: 'collabs',
    resource: collabs,
    stateField: 'state',
    states: collabStates,
    schemas: collabFields.shape as unknown as Kind['schemas'],
    fixedOncePublished: [],
  },
];
