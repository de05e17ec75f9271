import {
  accessTokenFields,
  addressFields,
  body,
  campaignFields,
  collabFields,
  organizationFields,
  type RequestBody,
  resources,
  socialAccountFields,
} from '@mkt/sdk/contract';
import * as z from 'zod/mini';

const { name: filled } = organizationFields.shape;
const { countries, currency, brief } = campaignFields.shape;

const number = z.optional(z.int('must be an integer').check(z.minimum(1, 'must be 1 or more')));
const count = z.optional(z.int('must be an integer').check(z.minimum(0, 'must be 0 or more')));
const metric = z.optional(z.nullable(z.int('must be an integer').check(z.minimum(0, 'must be 0 or more'))));
const flag = z.optional(z.boolean('must be true or false'));
const key = z.optional(z.string().check(z.regex(/^[\w-]{8,255}$/, 'must be 8 or more letters, digits, - or _')));
const picture = z.optional(z.nullable(z.string('must be a path or a data URL')));
const list = z.optional(z.nullable(z.array(z.unknown(), 'must be a list')));

const isMoment = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(text).toISOString().startsWith(text.slice(0, -1));
const moment = z.optional(
  z.string().check(z.refine(isMoment, 'must be a moment in UTC to the second, such as 2026-05-01T10:00:00Z')),
);
const momentOrNone = z.optional(z.nullable(z.nonoptional(moment)));

const stateIn = <const State extends string>(names: readonly State[]) =>
  z.optional(z.enum(names, `must be ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`));

const dates = { created_at: moment, updated_at: moment };

type Shape = Readonly<Record<string, z.ZodMiniType>>;
type Values<S extends Shape> = z.infer<z.ZodMiniObject<S>>;

/** What one thing in a seed may say: what the API takes of it, and the columns that the API does not let one write. */
export interface Entry<Fields = object, Columns = object> {
  readonly request: RequestBody;
  readonly names: readonly string[];
  split(values: Readonly<Record<string, unknown>>): { readonly fields: Fields; readonly columns: Columns };
}

function entry<F extends Shape, C extends Shape>(noun: string, fields: F, columns: C): Entry<Values<F>, Values<C>> {
  return {
    request: body(noun, z.object({ ...fields, ...columns }) as unknown as z.ZodMiniType<object>),
    names: [...Object.keys(fields), ...Object.keys(columns)],
    split(values) {
      const of = (shape: Shape) => Object.fromEntries(Object.entries(values).filter(([name]) => name in shape));
      return { fields: of(fields) as Values<F>, columns: of(columns) as Values<C> };
    },
  };
}

const { purge_logo: _logo, ...organizationShape } = organizationFields.shape;
const { purge_banner_image: _banner, ...collabShape } = collabFields.shape;

export const fileEntry = entry(
  'seed',
  {},
  {
    users: z.record(z.string(), z.unknown(), 'must be a mapping of handles to users'),
    organizations: z.optional(
      z.nullable(z.record(z.string(), z.unknown(), 'must be a mapping of handles to organizations')),
    ),
    next_ids: z.optional(z.nullable(z.unknown())),
  },
);

export const nextIdsEntry = entry(
  'next_ids',
  {},
  {
    access_tokens: number,
    organizations: number,
    memberships: number,
    campaigns: number,
    collabs: number,
    social_accounts: number,
    addresses: number,
  },
);

export const userEntry = entry(
  'user',
  {},
  {
    id: z.optional(filled),
    name: z.optional(filled),
    email: z.optional(filled.check(z.regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address, such as ada@example.com'))),
    tokens: list,
    social_accounts: list,
    address: z.optional(z.nullable(z.unknown())),
  },
);

export const tokenEntry = entry(
  'token',
  {
    description: z.optional(accessTokenFields.shape.description),
    permission: z.optional(accessTokenFields.shape.permission),
  },
  {
    id: number,
    secret: z.optional(
      z
        .string()
        .check(z.regex(/^[\w.~+/-]{8,255}$/, 'must be 8 or more letters, digits or -._~+/ without white space')),
    ),
    created_at: moment,
    revoked_at: momentOrNone,
  },
);

export const socialAccountEntry = entry('social account', socialAccountFields.shape, {
  id: number,
  uid: z.optional(filled),
  status: stateIn(resources.socialAccounts.states.names),
  subscriber_count: metric,
  view_count: metric,
  video_count: metric,
  likes_count: metric,
  engagement_rate: z.optional(
    z.nullable(z.string().check(z.regex(/^\d+(\.\d+)?$/, 'must be a decimal in quotes, such as "4.82"'))),
  ),
  last_synced_at: momentOrNone,
  ...dates,
});

const { address_one, city, state, postal_code, country_code } = addressFields.shape;
/** An address in a seed is a new one: what D46 requires on creation is required. */
const required = {
  address_one: z.nonoptional(address_one),
  city: z.nonoptional(city),
  state: z.nonoptional(state),
  postal_code: z.nonoptional(postal_code),
  country_code: z.nonoptional(country_code),
};

export const addressEntry = entry('address', { ...addressFields.shape, ...required }, { id: number, ...dates });

export const organizationEntry = entry('organization', organizationShape, {
  id: number,
  logo: picture,
  logo_key: key,
  default_currency: currency,
  default_countries: countries,
  brief_template: brief,
  has_active_subscription: flag,
  members: z.optional(z.nullable(z.record(z.string(), z.unknown(), 'must be a mapping of users to roles'))),
  campaigns: list,
  collabs: list,
  ...dates,
});

export const memberEntry = entry(
  'member',
  {},
  {
    role: z.enum(['owner', 'admin', 'member'], 'must be owner, admin or member'),
    id: z.optional(filled),
    position: number,
    ...dates,
  },
);

export const campaignEntry = entry('campaign', campaignFields.shape, {
  id: number,
  status: stateIn(resources.campaigns.states.names),
  total_budget_amount: count,
  used_amount: count,
  unused_amount: count,
  view_count: count,
  submissions_count: count,
  published_at: momentOrNone,
  paused_at: momentOrNone,
  banner_image: picture,
  banner_image_key: key,
  ...dates,
});

export const collabEntry = entry('collab', collabShape, {
  id: number,
  state: stateIn(resources.collabs.states.names),
  submissions_count: count,
  approved_submissions_count: count,
  completed_count: count,
  published_at: momentOrNone,
  banner_image: picture,
  banner_image_key: key,
  ...dates,
});
