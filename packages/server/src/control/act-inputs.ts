import { organizationFields, resources } from '@mkt/sdk/contract';
import * as z from 'zod/mini';
import { text } from './matching.js';

/** An id as clients have it: a number or a string (D47). */
export type GivenId = number | string;
export const givenId = z.union([z.number(), z.string()], 'must be an id');
export const count = z
  .int('must be a whole number, 0 or more')
  .check(z.minimum(0, 'must be a whole number, 0 or more'));
/** With the API's limit of text length, and storable everywhere (D19, D33). */
export const filled = text.check(
  z.refine(
    (value) => organizationFields.shape.name.safeParse(value).success,
    'must not be blank, exceed 255 characters, or contain NUL or an unpaired surrogate',
  ),
);
export const flag = z.boolean('must be true or false');
const decimal = 'must be a decimal in a string, such as "4.82"';
const metric = z.optional(z.nullable(count));

export const review = z.enum(['published', 'draft'], 'must be published or draft');
export const campaignResults = z.strictObject(
  { view_count: z.optional(count), submissions_count: z.optional(count), used_amount: z.optional(count) },
  'accepts only view_count, submissions_count and used_amount',
);
export const collabResults = z.strictObject(
  {
    submissions_count: z.optional(count),
    approved_submissions_count: z.optional(count),
    completed_count: z.optional(count),
  },
  'accepts only submissions_count, approved_submissions_count and completed_count',
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
  'accepts only status, subscriber_count, view_count, video_count, likes_count and engagement_rate',
);
export const newMember = z.strictObject(
  {
    user: z.optional(text),
    name: z.optional(filled),
    email: z.optional(filled.check(z.regex(/^\S+@\S+$/, 'must be an e-mail address'))),
    role: z.optional(z.enum(['member', 'admin'], 'must be member or admin')),
  },
  'accepts only role, and user (existing) or name and email (new)',
);

/** A new member: `user` (id or e-mail address) for an existing user, `name` and `email` for a new one. */
export interface NewMember {
  readonly user?: string | undefined;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  /** @default 'member' */
  readonly role?: 'member' | 'admin' | undefined;
}

/** Results of a campaign. Each number is added to the current one. */
export interface CampaignResults {
  readonly view_count?: number | undefined;
  readonly submissions_count?: number | undefined;
  /** Reduces `unused_amount`. */
  readonly used_amount?: number | undefined;
}

/** Results of a collab. Each number is added to the current one. */
export interface CollabResults {
  readonly submissions_count?: number | undefined;
  /** A collab with approved submissions cannot be deleted. */
  readonly approved_submissions_count?: number | undefined;
  readonly completed_count?: number | undefined;
}

/** Data of an account on its platform. Omitted fields do not change. */
export interface AccountSnapshot {
  /** @default 'verified' */
  readonly status?: 'pending' | 'verified' | 'failed' | undefined;
  readonly subscriber_count?: number | null | undefined;
  readonly view_count?: number | null | undefined;
  readonly video_count?: number | null | undefined;
  readonly likes_count?: number | null | undefined;
  /** A decimal in a string, such as `4.82`. */
  readonly engagement_rate?: string | null | undefined;
}
