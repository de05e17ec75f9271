import {
  accessToken,
  addressRepresentation,
  campaign,
  collab,
  differences,
  type Endpoint,
  type FieldKinds,
  hasKind,
  type Kind,
  kindsOf,
  membership,
  organization,
  resources,
  type Schema,
  socialAccount,
} from '@mkt/sdk/contract';
import type { IdFormat, SeedProblem } from '@mkt/server';
import { openSeed, type StoredList } from '@mkt/server/seeds';
import { capital } from '../../api/errors/explain.js';
import { CliError, exitCodes, toType } from '../../errors/cli-error.js';
import { idOf, isObject, type JsonObject, type Row, sanitizeLine, valueAt } from '../../text/values.js';
import type { Mask, Person } from './mask.js';

const kinds = {
  organization: { schema: organization, name: 'organization' },
  membership: { schema: membership, name: 'member' },
  campaign: { schema: campaign, name: 'campaign' },
  collab: { schema: collab, name: 'collab' },
  socialAccount: { schema: socialAccount, name: 'social account' },
  address: { schema: addressRepresentation, name: 'address' },
  accessToken: { schema: accessToken, name: 'token' },
};
export type TwinKind = keyof typeof kinds;

/** Kinds of fields with codes and ids. */
const codes = ['id', 'currency', 'country', 'slug', 'platform', 'state', 'choice'] as const;

/** The service sends what the API document does not allow, so that a copy would be a different marketplace. */
export const driftError = (kind: TwinKind, id: string, problem: string): CliError =>
  new CliError({
    code: 'drift',
    exitCode: exitCodes.unexpected,
    message: sanitizeLine(`${capital(kinds[kind].name)} ${id} cannot be copied: ${problem} Nothing was written.`),
    hints: [toType('mkt doctor --drift', 'To see all differences from the API document')],
  });

/** Converts rows of the API to rows of a seed. */
export class SeedRows {
  /** Fields that the service sends and the contract does not have, as `campaign.score`. */
  readonly unknown = new Set<string>();

  constructor(readonly mask: Mask) {}

  /** @throws for a row that differs from the contract */
  #fields(kind: TwinKind, row: Row): JsonObject {
    const { schema } = kinds[kind];
    const [issue] = differences(schema as Schema, row);
    if (issue !== undefined) {
      throw driftError(kind, idOf(row), `${issue.path.join('.') || 'it'} is ${issue.received}, not ${issue.expected}.`);
    }
    for (const field of Object.keys(row)) if (!(field in schema.shape)) this.unknown.add(`${kind}.${field}`);
    const fieldKinds = kindsOf(schema as Schema);
    // Null is written where the organization has a default.
    const inherited = kind === 'campaign' || kind === 'collab' ? resources[`${kind}s`].inherited : {};
    const entries = Object.keys(schema.shape).flatMap((field): [string, unknown][] => {
      const isA = (each: Kind): boolean => hasKind(fieldKinds, field, each);
      const given = valueAt(row, field);
      const value = isA('richText') && given === '' ? null : given;
      // A seed computes these: images are copied.
      const isComputed = isA('image') || isA('secret') || (isA('url') && isA('identity'));
      if (isComputed || value === undefined || (value === null && !(field in inherited))) return [];
      return [[field, this.#masked(fieldKinds, field, value)]];
    });
    return Object.fromEntries(entries);
  }

  /** Masks all texts in a value. Texts of a list that become the same are one: a seed takes no text twice. */
  #masked = (kinds: FieldKinds, field: string, value: unknown): unknown => {
    if (typeof value === 'string')
      return codes.some((kind) => hasKind(kinds, field, kind)) ? this.mask.code(value) : this.mask.text(value);
    if (Array.isArray(value)) {
      const masked = value.map((one) => this.#masked(kinds, field, one));
      return masked.filter((one, index) => one === value[index] || masked.indexOf(one) === index);
    }
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, this.#masked(kinds, `${field}.${name}`, one)]),
    );
  };

  /** The rows of a list below an item. @throws for a row that differs from the contract */
  listed(
    { name, fields, kinds }: StoredList,
    { response }: Endpoint,
    kind: TwinKind,
    id: string,
    rows: readonly Row[],
  ) {
    return rows.map((row): JsonObject => {
      const [issue] = response ? differences(response, row) : [];
      if (issue !== undefined)
        throw driftError(kind, id, `${[name, ...issue.path].join('.')} is ${issue.received}, not ${issue.expected}.`);
      for (const field of Object.keys(row)) if (!fields.includes(field)) this.unknown.add(`${name}.${field}`);
      const values = fields.map((field) => [field, valueAt(row, field)] as const);
      const present = values.filter(([, value]) => value !== undefined && value !== null);
      return Object.fromEntries(present.map(([field, value]) => [field, this.#masked(kinds, field, value)]));
    });
  }

  organization = (row: Row): JsonObject => this.#fields('organization', row);
  socialAccount = (row: Row): JsonObject => this.#fields('socialAccount', row);
  campaign = (row: Row): JsonObject => this.#fields('campaign', row);

  /** Completed submissions were approved. Other approvals are not visible. */
  collab(row: Row): JsonObject {
    const fields = this.#fields('collab', row);
    return { ...fields, approved_submissions_count: fields.completed_count };
  }

  token(row: Row): JsonObject {
    const fields = this.#fields('accessToken', row);
    return { ...fields, description: this.mask.description(String(fields.description)) };
  }

  /** @param keepNames Whether the postal address stays; else only its country does. */
  address(row: Row, keepNames: boolean): JsonObject {
    const fields = this.#fields('address', row);
    if (keepNames) return fields;
    const masked = {
      address_one: '1 Example Street',
      address_two: 'Floor 1',
      city: 'Example City',
      state: 'Example State',
    };
    const others = { postal_code: '00000', latitude: '0', longitude: '0', google_place_id: 'masked' };
    const replaced = Object.entries({ ...masked, ...others }).filter(([field]) => field in fields);
    return { ...fields, ...Object.fromEntries(replaced) };
  }

  member(row: Row): JsonObject {
    const { user: _user, is_owner, role, ...fields } = this.#fields('membership', row);
    return { role: is_owner === true ? 'owner' : role, ...fields };
  }
}

export const personOf = (member: Row): Person => ({
  id: String(valueAt(member, 'user.id')),
  name: String(valueAt(member, 'user.name')),
  email: String(valueAt(member, 'user.email')),
});

/** A member who may do everything: the owner, else an admin. */
export const adminOf = (members: readonly Row[]): Row | undefined =>
  members.find((member) => valueAt(member, 'is_owner') === true) ??
  members.find((member) => valueAt(member, 'role') === 'admin');

/** A handle for each member: the id of the user in lower case if that is one, else a number. */
export function handlesOf(members: readonly Row[]): Map<Row, string> {
  const taken = new Set<string>();
  return new Map(
    members.map((member, index) => {
      const plain = personOf(member).id.toLowerCase();
      const handle = /^[a-z][a-z0-9_-]{0,63}$/.test(plain) && !taken.has(plain) ? plain : `user-${index + 1}`;
      taken.add(handle);
      return [member, handle];
    }),
  );
}

/** A twin without its campaigns and collabs. */
export interface TwinFrame {
  readonly ids: IdFormat;
  readonly users: JsonObject;
  readonly handle: string;
  readonly organization: JsonObject;
}

/** The frame of an organization. `tokens` belong to the member `caller`. */
export function frameOf(
  rows: SeedRows,
  organization: Row,
  handles: ReadonlyMap<Row, string>,
  own: { readonly handle: string; readonly logo: JsonObject; readonly caller: Row; readonly tokens: readonly object[] },
): TwinFrame {
  const { handle, logo, caller, tokens } = own;
  const members = [...handles].map(([member, name]) => [name, rows.member(member)]);
  const users = [...handles].map(([member, name]) => [
    name,
    { ...rows.mask.person(personOf(member)), ...(member === caller && { tokens }) },
  ]);
  return {
    ids: typeof valueAt(organization, 'id') === 'number' ? 'integer' : 'opaque',
    users: Object.fromEntries(users),
    handle,
    organization: { ...rows.organization(organization), ...logo, members: Object.fromEntries(members) },
  };
}

export const frameSeed = ({ ids, users, handle, organization }: TwinFrame, lists: JsonObject = {}) => ({
  ids,
  users,
  organizations: { [handle]: { ...organization, ...lists } },
});

/** A GIF of one pixel, for images that cannot be copied. */
export const placeholder = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

/** Checks that a server can load these rows, except their images. @throws for the first row that it would reject */
export async function checkRows(
  frame: TwinFrame,
  kind: 'campaign' | 'collab' | 'organization',
  rows: readonly JsonObject[],
): Promise<void> {
  const withoutImages = rows.map(({ banner_image, banner_image_key, ...row }) => row);
  const { logo, logo_key, ...organization } = frame.organization;
  const seed =
    kind === 'organization'
      ? frameSeed(frame)
      : frameSeed(
          { ...frame, organization: { ...organization, ...(logo !== undefined && { logo: placeholder }) } },
          { [`${kind}s`]: withoutImages },
        );
  try {
    await openSeed(seed, { ids: frame.ids });
  } catch (error) {
    const [problem] = (error as { problems?: readonly SeedProblem[] }).problems ?? [];
    if (problem === undefined) throw error;
    const [, , list, index] = problem.keys;
    const row = list === `${kind}s` ? rows[Number(index)] : undefined;
    throw row === undefined
      ? driftError('organization', String(frame.organization.id), `${problem.path}: ${problem.message}`)
      : driftError(kind, String(row.id), problem.message);
  }
}
