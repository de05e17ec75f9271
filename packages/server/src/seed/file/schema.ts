import {
  accessTokenFields,
  addressFields,
  campaignFields,
  collabFields,
  organizationFields,
  resources,
  socialAccountFields,
} from '@mkt/sdk/contract';
import * as z from 'zod/mini';

/** One kind of object in a seed file: what the API takes, plus the columns that the API does not let clients write. */
export interface SeedObject<Shape extends Readonly<Record<string, z.ZodMiniType>> = z.core.$ZodLooseShape> {
  /** As messages call it: `social account`. */
  readonly singular: string;
  readonly schema: z.ZodMiniObject<Shape>;
}

const object = <Shape extends z.core.$ZodLooseShape>(singular: string, shape: Shape) => ({
  singular,
  schema: z.object(shape),
});

const { name: filledText } = organizationFields.shape;
const { countries, currency, brief } = campaignFields.shape;

const text = (pattern: RegExp, error: string) => z.string().check(z.regex(pattern, error));
const orNull = <Schema extends z.ZodMiniType>(schema: Schema) => z.optional(z.nullable(schema));
const integer = (least: 0 | 1) => z.int('must be an integer').check(z.minimum(least, `must be ${least} or more`));
const number = z.optional(integer(1));
/** In either format (D140). Opaque ids differ from the words in paths, such as `new`. */
const idFormats = 'must be an integer, or 4 to 64 letters, digits, - or _ with at least one letter';
const id = z.optional(z.union([integer(1), text(/^(?=.*[A-Za-z])[\w-]{4,64}$/, idFormats)], idFormats));
const numbered = { id, position: number };
const count = z.optional(integer(0));
const metric = orNull(integer(0));
const list = orNull(z.array(z.unknown(), 'must be a list'));
const mappingOf = (content: string) => z.record(z.string(), z.unknown(), `must be a mapping of ${content}`);

const image = orNull(z.string('must be a path or a data URL'));
const imageKey = z.optional(text(/^[\w-]{8,255}$/, 'must be 8 or more letters, digits, - or _'));

const isTimestamp = (value: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/.test(value) &&
  !Number.isNaN(Date.parse(value)) &&
  new Date(value).toISOString().startsWith(value.slice(0, 19));
const time = z
  .string()
  .check(z.refine(isTimestamp, 'must be a time in UTC with seconds, such as 2026-05-01T10:00:00Z'));
const dates = { created_at: z.optional(time), updated_at: z.optional(time) };

const oneOf = <const Name extends string>(names: readonly Name[]) =>
  z.enum(names, `must be ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`);

export const file = object('seed', {
  twin: orNull(z.unknown()),
  ids: z.optional(oneOf(['integer', 'opaque'])),
  users: mappingOf('handles to users'),
  organizations: orNull(mappingOf('handles to organizations')),
  next_ids: orNull(z.unknown()),
});

/** What `mkt twin pull` says about its file. */
export const twin = object('twin', {
  version: z.int('must be an integer'),
  source: z.string('must be a URL'),
  organization: z.union([z.int(), z.string()], 'must be an id'),
  pulled_at: z.string('must be a time'),
  masked: z.boolean('must be true or false'),
  caller: z.string('must be the handle of a user'),
  left_out: list,
});

export const nextIds = object('next_ids', {
  access_tokens: number,
  organizations: number,
  memberships: number,
  campaigns: number,
  collabs: number,
  social_accounts: number,
  addresses: number,
});

export const user = object('user', {
  id: z.optional(filledText),
  name: z.optional(filledText),
  email: z.optional(
    filledText.check(z.regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address, such as ada@example.com')),
  ),
  tokens: list,
  social_accounts: list,
  address: orNull(z.unknown()),
});

export const token = object('token', {
  description: z.optional(accessTokenFields.shape.description),
  permission: z.optional(accessTokenFields.shape.permission),
  ...numbered,
  secret: z.optional(text(/^[\w.~+/-]{8,255}$/, 'must be 8 or more letters, digits or -._~+/ without white space')),
  created_at: z.optional(time),
  revoked_at: orNull(time),
});

export const socialAccount = object('social account', {
  ...socialAccountFields.shape,
  ...numbered,
  uid: z.optional(filledText),
  status: z.optional(oneOf(resources.socialAccounts.states.names)),
  subscriber_count: metric,
  view_count: metric,
  video_count: metric,
  likes_count: metric,
  engagement_rate: orNull(text(/^\d+(\.\d+)?$/, 'must be a decimal in quotes, such as "4.82"')),
  last_synced_at: orNull(time),
  ...dates,
});

const { address_one, city, state, postal_code, country_code } = addressFields.shape;

/** Seeds only create addresses, so the fields that D46 requires on creation are required. */
export const address = object('address', {
  ...addressFields.shape,
  address_one: z.nonoptional(address_one),
  city: z.nonoptional(city),
  state: z.nonoptional(state),
  postal_code: z.nonoptional(postal_code),
  country_code: z.nonoptional(country_code),
  ...numbered,
  ...dates,
});

const { purge_logo: _logo, ...organizationShape } = organizationFields.shape;

export const organization = object('organization', {
  ...organizationShape,
  ...numbered,
  logo: image,
  logo_key: imageKey,
  default_currency: currency,
  default_countries: countries,
  brief_template: brief,
  has_active_subscription: z.optional(z.boolean('must be true or false')),
  members: orNull(mappingOf('users to roles')),
  campaigns: list,
  collabs: list,
  ...dates,
});

export const member = object('member', {
  role: oneOf(['owner', 'admin', 'member']),
  id: z.optional(filledText),
  position: number,
  ...dates,
});

export const campaign = object('campaign', {
  ...campaignFields.shape,
  ...numbered,
  status: z.optional(oneOf(resources.campaigns.states.names)),
  total_budget_amount: count,
  used_amount: count,
  unused_amount: count,
  view_count: count,
  submissions_count: count,
  published_at: orNull(time),
  paused_at: orNull(time),
  banner_image: image,
  banner_image_key: imageKey,
  ...dates,
});

const { purge_banner_image: _banner, ...collabShape } = collabFields.shape;

export const collab = object('collab', {
  ...collabShape,
  ...numbered,
  state: z.optional(oneOf(resources.collabs.states.names)),
  submissions_count: count,
  approved_submissions_count: count,
  completed_count: count,
  published_at: orNull(time),
  banner_image: image,
  banner_image_key: imageKey,
  ...dates,
});
