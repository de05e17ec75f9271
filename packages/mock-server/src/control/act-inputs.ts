import { fieldsOfKind, organizationFields, resources } from '@mkt/sdk/contract';
import * as z from 'zod/mini';
import { type Arguments, argument } from './arguments.js';
import { oneOf, onlyFields, text } from './errors.js';

/** An id as clients have it: a number or a string. */
export type GivenId = number | string;
export const givenId = z.union([z.number(), z.string()], 'must be an id');
const count = z.int('must be a whole number, 0 or more').check(z.minimum(0, 'must be a whole number, 0 or more'));
const added = z.optional(count);
const metric = z.optional(z.nullable(count));
/** With the API's limit of text length, and storable everywhere. */
export const filled = text.check(
  z.refine(
    (value) => organizationFields.shape.name.safeParse(value).success,
    'must not be blank, exceed 255 characters, or contain NUL or an unpaired surrogate',
  ),
);
const decimal = 'must be a decimal in a string, such as "4.82"';

const each = <Name extends string, Schema>(names: readonly Name[], schema: Schema) =>
  Object.fromEntries(names.map((name) => [name, schema])) as Readonly<Record<Name, Schema>>;
const { campaigns, collabs, socialAccounts } = resources;

const campaignResults = onlyFields(each(fieldsOfKind(campaigns.fields, 'counter'), added));
/** Results of a campaign. Each number is added to the current one. `used_amount` reduces `unused_amount`. */
export type CampaignResults = Readonly<z.infer<typeof campaignResults>>;

const collabResults = onlyFields({
  ...each(fieldsOfKind(collabs.fields, 'counter'), added),
  /** A collab with approved submissions cannot be deleted. */
  approved_submissions_count: added,
});
/** Results of a collab. Each number is added to the current one. */
export type CollabResults = Readonly<z.infer<typeof collabResults>>;

const accountSnapshot = onlyFields({
  /** @default 'verified' */
  status: z.optional(oneOf(socialAccounts.states.names)),
  ...each(fieldsOfKind(socialAccounts.fields, 'number'), metric),
  /** A decimal in a string, such as `4.82`. */
  engagement_rate: z.optional(z.nullable(z.string(decimal).check(z.regex(/^\d+(\.\d+)?$/, decimal)))),
});
/** Data of an account on its platform. Omitted fields do not change. */
export type AccountSnapshot = Readonly<z.infer<typeof accountSnapshot>>;

export const memberFields = {
  user: z.optional(text),
  name: z.optional(filled),
  email: z.optional(filled.check(z.regex(/^\S+@\S+$/, 'must be an e-mail address'))),
  /** @default 'member' */
  role: z.optional(oneOf(['member', 'admin'])),
};
const newMember = onlyFields(memberFields);
/** A new member: `user` (id or e-mail address) for an existing user, `name` and `email` for a new one. */
export type NewMember = Readonly<z.infer<typeof newMember>>;

/** Simulates what the marketplace and its creators do, for which the API has no endpoints. */
export interface Acts {
  /** Adds to `total_budget_amount` and `unused_amount`. */
  fundCampaign(campaign: GivenId, amount: number): Promise<void>;
  /** Ends an active or paused campaign. */
  finishCampaign(campaign: GivenId): Promise<void>;
  /** Adds views, submissions and spending. Spending reduces `unused_amount`. */
  addCampaignResults(campaign: GivenId, results: CampaignResults): Promise<void>;
  /** Publishes a submitted collab, or returns it to draft. */
  reviewCollab(collab: GivenId, outcome: 'published' | 'draft'): Promise<void>;
  /** Adds submissions, approvals and completions. */
  addCollabResults(collab: GivenId, results: CollabResults): Promise<void>;
  /** Updates an account: its status (`verified` by default) and its metrics. */
  syncSocialAccount(account: GivenId, snapshot?: AccountSnapshot): Promise<void>;
  /** Adds a member to an organization. Returns the ids of the membership and of the user. */
  addMember(organization: GivenId, member: NewMember): Promise<{ readonly id: string; readonly user: string }>;
  /** Starts or ends an organization's subscription, which forbids its deletion. */
  setSubscription(organization: GivenId, active: boolean): Promise<void>;
  /** Revokes a token by its secret: the next call with it gets 401. */
  revokeToken(token: string): Promise<void>;
}

export const actInputs: { readonly [Name in keyof Acts]: Arguments<Parameters<Acts[Name]>> } = {
  fundCampaign: [argument('campaign', givenId), argument('amount', count)],
  finishCampaign: [argument('campaign', givenId)],
  addCampaignResults: [argument('campaign', givenId), argument('results', campaignResults)],
  reviewCollab: [argument('collab', givenId), argument('outcome', oneOf(['published', 'draft']))],
  addCollabResults: [argument('collab', givenId), argument('results', collabResults)],
  syncSocialAccount: [argument('account', givenId), argument('snapshot', z.optional(accountSnapshot))],
  addMember: [argument('organization', givenId), argument('member', newMember)],
  setSubscription: [argument('organization', givenId), argument('active', z.boolean('must be true or false'))],
  revokeToken: [argument('token', text)],
};
