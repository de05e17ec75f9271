import { hasKind, kindsIn, type ResourceDescription, resources } from '@mkt/sdk/contract/resources';

/** What a request reads or changes, by its path. */
export interface Target {
  /** The group of commands: `campaigns`, `social-accounts`. */
  readonly resource: string;
  /** Empty for resources of the user; an organization's own id for itself. */
  readonly organization: string;
  /** Undefined for a list. */
  readonly id: string | undefined;
  /** A web action, such as `publish`. */
  readonly action: string | undefined;
}

const patterns: readonly (readonly [RegExp, (parts: readonly string[]) => Target])[] = [
  [
    /^\/organizations\/([^/]+)\/(campaigns|collabs|members)(?:\/([^/]+))?\.json$/,
    ([organization = '', resource = '', id]) => ({ resource, organization, id, action: undefined }),
  ],
  [
    /^\/organizations\/([^/]+)\/(campaigns|collabs)\/([^/]+)\/(\w+)$/,
    ([organization = '', resource = '', id, action]) => ({ resource, organization, id, action }),
  ],
  [
    /^\/organizations(?:\/([^/]+))?\.json$/,
    ([id]) => ({ resource: 'organizations', organization: id ?? '', id, action: undefined }),
  ],
  [
    /^\/me\/(social_accounts|access_tokens)(?:\/([^/]+))?\.json$/,
    ([name, id]) => ({
      resource: name === 'access_tokens' ? 'tokens' : 'social-accounts',
      organization: '',
      id,
      action: undefined,
    }),
  ],
  // Each user has one address.
  [/^\/me\/address\.json$/, () => ({ resource: 'address', organization: '', id: 'address', action: undefined })],
];

/** @param path below the base URL; undefined for paths that are not recorded */
export function targetOf(path: string): Target | undefined {
  for (const [pattern, target] of patterns) {
    const found = pattern.exec(path);
    if (found !== null) return target(found.slice(1).map((part) => part && decodeURIComponent(part)));
  }
  return undefined;
}

/** The contract's names of resources whose commands are called otherwise. */
const contractNames: Readonly<Record<string, string>> = { 'social-accounts': 'socialAccounts', tokens: 'accessTokens' };

const kindsOf = (resource: string) => kindsIn(contractNames[resource] ?? resource);

/** Whether a field is secret or about a person, or contains something that is. */
const isPrivate = (kind: unknown): boolean =>
  typeof kind === 'object' && kind !== null
    ? Object.values(kind).some(isPrivate)
    : kind === 'secret' || kind === 'email' || kind === 'personal';

/** The fields of a row that are recorded. */
export function recordable(resource: string, row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kinds = kindsOf(resource);
  return Object.fromEntries(
    Object.entries(row).filter(([field]) => !(Object.hasOwn(kinds, field) && isPrivate(kinds[field]))),
  );
}

/**
 * Which fields a request changes itself. The service or another user changes others meanwhile, such as
 * counters. @param sent the fields of its body, if it is JSON
 */
export function isOwnField({ resource, action }: Target, sent: Readonly<Record<string, unknown>> | undefined) {
  const description = (resources as Readonly<Record<string, ResourceDescription | undefined>>)[resource];
  if (description === undefined || (action === undefined && sent === undefined)) return undefined;
  const kinds = action === undefined ? (['image', 'position'] as const) : (['state', 'timestamp'] as const);
  return (field: string): boolean =>
    field === 'updated_at' ||
    (sent !== undefined && field in sent) ||
    kinds.some((kind) => hasKind(description.fields, field, kind));
}

/** The fields of a request that are recorded until it is answered: those of the contract, because `mkt api` sends any. */
export function recordableRequest(resource: string, sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kinds = kindsOf(resource);
  const known = Object.entries(recordable(resource, sent)).filter(([field]) => Object.hasOwn(kinds, field));
  return Object.fromEntries(known);
}

const statesOf = (resource: string) =>
  (resources as Readonly<Record<string, ResourceDescription | undefined>>)[resource]?.states;

/** Whether it is a draft, which only some accounts see. */
export function isDraft(resource: string, row: Readonly<Record<string, unknown>>): boolean {
  const states = statesOf(resource);
  return states !== undefined && row[states.field] === states.initial;
}

/** Whether it is a draft or may become one again, as when it is rejected. */
export function mayBecomeDraft(resource: string, row: Readonly<Record<string, unknown>>): boolean {
  const { field, initial, marketplace } = statesOf(resource) ?? {};
  const back = Object.values(marketplace ?? {}).filter(({ to }) => to === initial);
  return field !== undefined && (row[field] === initial || back.some(({ from }) => from.includes(String(row[field]))));
}
