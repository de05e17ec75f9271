import { resources } from '@mkt/sdk/contract';
import type { SeedSchemas } from '@mkt/server/seeds';
import * as z from 'zod/mini';
import { type GivenId, givenId, memberFields, type NewMember } from './act-inputs.js';
import { type Arguments, argument } from './arguments.js';
import { inRange, oneOf, onlyFields, text } from './errors.js';

type Fields<Object extends z.ZodMiniType> = Partial<Omit<z.input<Object>, 'id' | 'position'>>;

/** Fields of a new campaign, as in a seed file. */
export interface NewCampaign extends Fields<SeedSchemas['campaign']> {
  readonly organization: GivenId;
  /** The same as `view_count`. */
  readonly views?: number | undefined;
  /** With `count`: created over so much time, the last one now or at `created_at`, such as `30d` or `12h`. */
  readonly over?: string | undefined;
}
/** Fields of a new collab, as in a seed file. */
export interface NewCollab extends Fields<SeedSchemas['collab']> {
  readonly organization: GivenId;
  /** As for campaigns. */
  readonly over?: string | undefined;
}
/** Fields of a new organization, as in a seed file. */
export interface NewOrganization
  extends Omit<Fields<SeedSchemas['organization']>, 'members' | 'campaigns' | 'collabs'> {
  /** As for `create.campaign`. */
  readonly campaigns?: readonly Countable<Omit<NewCampaign, 'organization'>>[];
  /** As for `create.collab`. */
  readonly collabs?: readonly Countable<Omit<NewCollab, 'organization'>>[];
  /** Id or e-mail address; by default the first user of the seed: usr_ada, or usr_owner. */
  readonly owner?: string | undefined;
}
/** Fields of a new user, as in a seed file. By default with one token. */
export interface NewUser extends Fields<SeedSchemas['user']> {
  /** By default `usr_` and a word. */
  readonly id?: string | undefined;
}
/** A new member: an existing user, or else a new one. */
export interface NewMembership extends NewMember {
  readonly organization: GivenId;
}
/** Fields of a new account, as in a seed file. By default it is verified. */
export interface NewSocialAccount extends Fields<SeedSchemas['socialAccount']> {
  /** Id or e-mail address of its user. */
  readonly user: string;
}

export interface Created {
  readonly id: number | string;
}
export interface CreatedUser {
  readonly id: string;
  /** The secret of the first token that works; null if there is none. */
  readonly token: string | null;
}
export interface CreatedMember {
  readonly id: string;
  readonly user: string;
  /** The secret of a new user's token; null for an existing user. */
  readonly token: string | null;
}

interface Create<New, Result> {
  /** With `count`, so many of them: their other values differ. */
  (fields: New & { readonly count: number }): Promise<readonly Result[]>;
  (fields: New): Promise<Result>;
}

/**
 * Creates data directly, in any state. Fields have the names of the API and of seed files; those that are left out get
 * realistic values, which are the same in every run.
 */
export interface Factories {
  readonly campaign: Create<NewCampaign, Created>;
  readonly collab: Create<NewCollab, Created>;
  readonly organization: Create<NewOrganization, Created>;
  readonly member: Create<NewMembership, CreatedMember>;
  readonly user: Create<NewUser, CreatedUser>;
  readonly socialAccount: Create<NewSocialAccount, Created>;
}

/** Additions to a seed: what `create` takes, as lists. */
export interface PartialSeed {
  readonly extends: 'demo' | 'empty' | 'large';
  readonly users?: readonly Countable<NewUser>[];
  readonly organizations?: readonly Countable<NewOrganization>[];
  readonly members?: readonly Countable<NewMembership>[];
  readonly campaigns?: readonly Countable<NewCampaign>[];
  readonly collabs?: readonly Countable<NewCollab>[];
  readonly social_accounts?: readonly Countable<NewSocialAccount>[];
}
export type Countable<New> = New & { readonly count?: number };

const { campaigns, collabs, socialAccounts } = resources;
const countRange = 'must be a whole number from 1 to 10000';
export const itemCount = z.optional(inRange(z.int(countRange), 1, 10_000, countRange));
export const timeBefore = z.optional(
  z.string('must be text').check(z.regex(/^[1-9]\d{0,3}[dh]$/, 'must be days or hours, such as 30d or 12h')),
);
/** The argument of a factory. The rules of seed files check all other fields. */
function newItem<New>(name: string, fields: z.core.$ZodShape = {}) {
  const schema = z.looseObject({ ...fields, count: itemCount }, 'must be an object with the fields');
  return [argument(name, schema as unknown as z.ZodMiniType<Countable<New>>)] as const;
}
const newMembership = onlyFields({ organization: givenId, ...memberFields, count: itemCount });

export const factoryInputs: { readonly [Name in keyof Factories]: Arguments<Parameters<Factories[Name]>> } = {
  campaign: newItem<NewCampaign>('campaign', {
    organization: givenId,
    over: timeBefore,
    status: z.optional(oneOf(campaigns.states.names)),
  }),
  collab: newItem<NewCollab>('collab', {
    organization: givenId,
    over: timeBefore,
    state: z.optional(oneOf(collabs.states.names)),
  }),
  organization: newItem<NewOrganization>('organization', { name: z.optional(text), owner: z.optional(text) }),
  member: [argument('member', newMembership)],
  user: newItem<NewUser>('user'),
  socialAccount: newItem<NewSocialAccount>('socialAccount', {
    user: text,
    status: z.optional(oneOf(socialAccounts.states.names)),
  }),
};

type SeedName = 'demo' | 'empty' | 'large';
/** With any text where there is a list of them: they are checked when it is read, and variables have only `string`. */
type Content<Value> = Value extends string
  ? string extends Value
    ? Value
    : Value | (string & {})
  : Value extends object
    ? { readonly [Name in keyof Value]: Content<Value[Name]> }
    : Value;
type SeedContent = Content<z.input<SeedSchemas['file']>> & { readonly extends?: undefined };

/**
 * `demo`, `empty`, `large`, the text of a seed file (YAML or JSON), the content of such a file as an object, or additions to
 * one of the first three: `{ extends: 'demo', campaigns: [{ organization: 5, status: 'finished' }] }`.
 */
export type SeedSource = SeedName | `${string}:${string}` | PartialSeed | SeedContent;

/** The same, or a text that is only known at run time. */
export type AnySeed = SeedSource | string;

/** The type of a parameter whose text is `Text`: a misspelt name does not compile. The union makes editors complete it. */
export type CheckedSeed<Text extends string> = SeedSource | (Text & (string extends Text ? unknown : never));
