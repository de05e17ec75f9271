import { organizationFields, resources } from '@mkt/sdk/contract';
import * as z from 'zod/mini';

/** As clients hold it: a number, or a text (D47). */
export type GivenId = number | string;
export const id = z.int('must be an id').check(z.minimum(1, 'must be an id'));
/** An id for the check: a text that is one becomes the number that the store has. */
export const numbered = (given: GivenId): GivenId => (/^[1-9]\d*$/.test(String(given)) ? Number(given) : given);
export const count = z
  .int('must be a whole number of at least 0')
  .check(z.minimum(0, 'must be a whole number of at least 0'));
const text = z.string('must be a text').check(z.minLength(1, 'must not be empty'));
/** As long as texts of the API may be, and storable everywhere (D19, D33). */
export const filled = text.check(
  z.refine(
    (value) => organizationFields.shape.name.safeParse(value).success,
    'must not be blank, longer than 255 characters, or hold NUL or half of a surrogate pair',
  ),
);
export const flag = z.boolean('must be true or false');
const decimal = 'must be a decimal in a string, such as "4.82"';
const metric = z.optional(z.nullable(count));

export const review = z.enum(['published', 'draft'], 'must be published or draft');
export const campaignResults = z.strictObject(
  { view_count: z.optional(count), submissions_count: z.optional(count), used_amount: z.optional(count) },
  'takes view_count, submissions_count and used_amount',
);
export const collabResults = z.strictObject(
  {
    submissions_count: z.optional(count),
    approved_submissions_count: z.optional(count),
    completed_count: z.optional(count),
  },
  'takes submissions_count, approved_submissions_count and completed_count',
);
export const accountSnapshot = z.strictObject(
  {
    status: z.optional(z.enum(resources.socialAccounts.states.names, 'must be pending, verified or failed')),
    subscriber_count: metric,
    view_count: metric,
    video_count: metric,
    likes_count: metric,
    engagement_rate: z.optional(z.nullable(z.string(decimal).check(z.regex(/^\d+(\.\d+)?$/, decimal)))),
  },
  'takes status, subscriber_count, view_count, video_count, likes_count and engagement_rate',
);
export const newMember = z.strictObject(
  {
    user: z.optional(text),
    name: z.optional(filled),
    email: z.optional(filled.check(z.regex(/^\S+@\S+$/, 'must be an e-mail address'))),
    role: z.optional(z.enum(['member', 'admin'], 'must be member or admin')),
  },
  'takes user (of somebody who is there), or name and email, and role',
);

/** Somebody who joins an organization: `user` (id or e-mail address) is there already, `name` and `email` make a new one. */
export interface NewMember {
  readonly user?: string | undefined;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  /** `member` by default. */
  readonly role?: 'member' | 'admin' | undefined;
}

/** What a campaign has brought so far; each number is added. */
export interface CampaignResults {
  readonly view_count?: number | undefined;
  readonly submissions_count?: number | undefined;
  /** Comes out of `unused_amount`. */
  readonly used_amount?: number | undefined;
}

/** What creators did for a collab; each number is added. */
export interface CollabResults {
  readonly submissions_count?: number | undefined;
  /** With one of them a collab cannot be deleted. */
  readonly approved_submissions_count?: number | undefined;
  readonly completed_count?: number | undefined;
}

/** What the marketplace saw of an account on its platform; what is left out stays. */
export interface AccountSnapshot {
  /** `verified` by default. */
  readonly status?: 'pending' | 'verified' | 'failed' | undefined;
  readonly subscriber_count?: number | null | undefined;
  readonly view_count?: number | null | undefined;
  readonly video_count?: number | null | undefined;
  readonly likes_count?: number | null | undefined;
  /** A decimal in a string, such as `4.82`. */
  readonly engagement_rate?: string | null | undefined;
}
