import {
  accessTokenFields,
  addressFields,
  campaignFields,
  collabFields,
  type FieldKinds,
  type FieldOfKind,
  fieldsOfKind,
  organizationFields,
  resources,
  socialAccountFields,
} from '@mkt/sdk/contract';
import * as z from 'zod/mini';
import { RuleError } from '../../rules/errors.js';
import { normalized, unknownCodes } from '../../rules/fields.js';
import type { Problem } from '../../rules/problems.js';
import { richText } from '../../rules/rich-text.js';
import { type BaseType, baseTypeOf, columnType } from '../../store/table-definition.js';
import { byTable, type DataTableName, serialTables } from '../../store/tables.js';
import { isTimestamp } from '../../timestamp.js';
import { listsBelow } from './lists.js';

const isObject = ({ value }: z.core.ParsePayload): boolean => typeof value === 'object' && value !== null;

/** What only a seed can have: the other problems are those of rules. */
export type SeedCheck =
  | Problem
  | { readonly code: 'unknown_key'; readonly singular: string; readonly names: readonly string[] }
  | { readonly code: 'wrong_handle' };

const issueOf = (key: string, params: SeedCheck, input: unknown) => ({
  code: 'custom' as const,
  path: [key],
  params,
  input,
  continue: true,
});

/** An object whose unknown keys are problems. Its fields are checked by their kinds. */
const object = <Shape extends z.core.$ZodLooseShape>(singular: string, shape: Shape, kinds: FieldKinds = {}) => {
  const params: SeedCheck = { code: 'unknown_key', singular, names: Object.keys(shape) };
  const unknownKey = z.unknown().check(z.refine(() => false, { params }));
  const mapping = z.object(shape, `This must be a mapping: the fields of a ${singular}.`);
  const schema = z.catchall(mapping, unknownKey) as unknown as z.ZodMiniObject<Shape, z.core.$strict>;
  return schema.check(
    z.check<z.output<typeof schema>>(
      ({ value, issues }) => {
        const isInvalid = (field: string) => issues.some(({ path }) => path?.[0] === field);
        for (const [field, problem] of unknownCodes(schema, kinds, value))
          if (!isInvalid(field)) issues.push(issueOf(field, problem, value));
        try {
          normalized(value, schema, kinds, richText);
        } catch (error) {
          if (!(error instanceof RuleError)) throw error;
          for (const [field, [problem]] of Object.entries(error.problems))
            if (problem) issues.push(issueOf(field, problem, value));
        }
      },
      { when: isObject },
    ),
  );
};

const isHandle = (key: string): boolean => /^[a-z][a-z0-9_-]{0,63}$/.test(key);

/**
 * Objects by their handles. Handles cannot be numbers: JavaScript would put such keys before the others, and the order of
 * members matters.
 */
const byHandle = <Schema extends z.ZodMiniType>(schema: Schema, content: string) =>
  z.record(z.string(), schema, `must be a mapping of ${content}`).check(
    z.check(
      ({ value, issues }) => {
        for (const key of Object.keys(value))
          if (!isHandle(key)) issues.push(issueOf(key, { code: 'wrong_handle' }, key));
      },
      { when: isObject },
    ),
  );

/** `schema` for a value in its short form too, which `whole` completes. */
const short = <Given, Schema extends z.ZodMiniType>(whole: (value: Given) => unknown, schema: Schema) =>
  z.pipe(z.transform(whole), schema as z.ZodMiniType<z.output<Schema>, unknown>);

const { name: filledText } = organizationFields.shape;
const { countries, currency, brief } = campaignFields.shape;

const text = (pattern: RegExp, error: string) => z.string().check(z.regex(pattern, error));
const orNull = <Schema extends z.ZodMiniType>(schema: Schema) => z.optional(z.nullable(schema));
const integer = (least: 0 | 1) => z.int('must be an integer').check(z.minimum(least, `must be ${least} or more`));
const number = z.optional(integer(1));
/** In either format. Opaque ids differ from the words in paths, such as `new`. */
const idFormats = 'must be an integer, or 4 to 64 letters, digits, - or _ with at least one letter';
const id = z.optional(z.union([integer(1), text(/^(?=.*[A-Za-z])[\w-]{4,64}$/, idFormats)], idFormats));
const numbered = { id, position: number };
const count = z.optional(integer(0));
const metric = orNull(integer(0));
/** The numbers that the marketplace counts and no request sets. */
const figures = <Fields extends FieldKinds, Sent extends object, Schema>(
  fields: Fields,
  sent: Sent,
  schema: Schema,
) => {
  type Name = Exclude<FieldOfKind<Fields, 'amount' | 'number'>, keyof Sent>;
  const names = fieldsOfKind(fields, 'amount', 'number').filter((name) => !(name in sent));
  return Object.fromEntries(names.map((name) => [name, schema])) as Readonly<Record<Name, Schema>>;
};
const listOf = <Schema extends z.ZodMiniType>(schema: Schema) => orNull(z.array(schema, 'must be a list'));

const image = orNull(z.string('must be a path or a data URL'));
const imageKey = z.optional(text(/^[\w-]{8,255}$/, 'must be 8 or more letters, digits, - or _'));

const time = z
  .string()
  .check(z.refine(isTimestamp, 'must be a time in UTC with seconds, such as 2026-05-01T10:00:00Z'));
const dates = { created_at: z.optional(time), updated_at: z.optional(time) };

const oneOf = <const Name extends string>(names: readonly Name[]) =>
  z.enum(names, `must be ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`);

/** What `mkt twin pull` says about its file. */
export const twin = object('twin', {
  version: z.int('must be an integer'),
  source: z.string('must be a URL'),
  organization: z.union([z.int(), z.string()], 'must be an id'),
  pulled_at: z.string('must be a time'),
  masked: z.boolean('must be true or false'),
  caller: z.string('must be the handle of a user'),
  page_size: number,
  left_out: listOf(z.unknown()),
});

export const nextIds = object(
  'next_ids',
  byTable(serialTables, () => number),
);

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
  ...figures(resources.socialAccounts.fields, socialAccountFields.shape, metric),
  engagement_rate: orNull(text(/^\d+(\.\d+)?$/, 'must be a decimal in quotes, such as "4.82"')),
  last_synced_at: orNull(time),
  ...dates,
});

const requiredInAddress = {
  address_one: true,
  city: true,
  state: true,
  postal_code: true,
  country_code: true,
} as const;

/** Seeds only create addresses, so the fields that are required on creation are required. */
export const address = object(
  'address',
  {
    ...z.required(addressFields, requiredInAddress).shape,
    ...numbered,
    ...dates,
  },
  resources.address.fields,
);

export const member = object('member', {
  role: oneOf(['owner', 'admin', 'member']),
  id: z.optional(filledText),
  position: number,
  ...dates,
});

type Member = z.input<typeof member>;

const columnSchemas: Readonly<Record<BaseType, z.ZodMiniType>> = {
  text: z.string(),
  integer: z.int('must be an integer'),
  timestamp: time,
  boolean: z.boolean(),
  strings: z.array(z.string()),
  bytes: z.never('cannot be in a seed file'),
};

/** The lists below an item, by their names. Their types are those of the tables, which code that writes them reads too. */
function lists(parent: DataTableName): object {
  return Object.fromEntries(
    listsBelow(parent).map(({ name, singular, definition, kinds, fields }) => {
      const shape = fields.map((field) => {
        const type = columnType(definition, field);
        const schema = columnSchemas[type === 'id' ? 'integer' : baseTypeOf(type)];
        if (type.endsWith('?')) return [field, orNull(schema)];
        return [field, type === 'strings' || type === 'counter' || field in dates ? z.optional(schema) : schema];
      });
      const whole = { ...Object.fromEntries(shape), ...(definition.serial === 'id' && numbered) };
      return [name, listOf(object(singular, whole, kinds))];
    }),
  );
}

export const campaign = object(
  'campaign',
  {
    ...campaignFields.shape,
    ...numbered,
    status: z.optional(oneOf(resources.campaigns.states.names)),
    ...figures(resources.campaigns.fields, campaignFields.shape, count),
    published_at: orNull(time),
    paused_at: orNull(time),
    banner_image: image,
    banner_image_key: imageKey,
    ...lists('campaigns'),
    ...dates,
  },
  resources.campaigns.fields,
);

const { purge_banner_image: _banner, ...collabShape } = collabFields.shape;

export const collab = object(
  'collab',
  {
    ...collabShape,
    ...numbered,
    state: z.optional(oneOf(resources.collabs.states.names)),
    ...figures(resources.collabs.fields, collabShape, count),
    approved_submissions_count: count,
    published_at: orNull(time),
    banner_image: image,
    banner_image_key: imageKey,
    ...lists('collabs'),
    ...dates,
  },
  resources.collabs.fields,
);

export const user = object('user', {
  id: z.optional(filledText),
  name: z.optional(filledText),
  email: z.optional(
    filledText.check(z.regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address, such as ada@example.com')),
  ),
  tokens: listOf(token),
  social_accounts: listOf(socialAccount),
  address: orNull(address),
});

const { purge_logo: _logo, ...organizationShape } = organizationFields.shape;

export const organization = object(
  'organization',
  {
    ...organizationShape,
    ...numbered,
    logo: image,
    logo_key: imageKey,
    default_currency: currency,
    default_countries: countries,
    brief_template: brief,
    has_active_subscription: z.optional(z.boolean('must be true or false')),
    members: orNull(
      byHandle(
        short((value: Member | Member['role']) => (typeof value === 'string' ? { role: value } : value), member),
        'users to roles',
      ),
    ),
    campaigns: listOf(campaign),
    collabs: listOf(collab),
    ...lists('organizations'),
    ...dates,
  },
  {
    ...resources.organizations.fields,
    default_currency: 'currency',
    default_countries: 'country',
    brief_template: 'richText',
  },
);

export const file = object('seed', {
  twin: orNull(twin),
  ids: z.optional(oneOf(['integer', 'opaque'])),
  // A handle without a value is a user with all defaults.
  users: byHandle(
    short((value: z.input<typeof user> | null) => value ?? {}, user),
    'handles to users',
  ),
  organizations: orNull(byHandle(organization, 'handles to organizations')),
  next_ids: orNull(nextIds),
});

export type SeedFile = z.infer<typeof file>;
