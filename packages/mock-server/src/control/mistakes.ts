import {
  contract,
  type Endpoint,
  endpoints,
  fieldsOfKind,
  hasKind,
  kindsIn,
  parametersOf,
  pathsAbove,
  type ResourceDescription,
  type ResourceName,
  resourceAt,
  resources,
} from '@mkt/sdk/contract';
import type { Exchange, Reader, Store, TableName } from '@mkt/server';
import { type AnyRow, capitalized, fieldsOf, formObject, type Id, idFrom } from '@mkt/server/extend';
import { nearest } from '@mkt/server/seeds';
import type { Mistake, MistakeKind, Strict } from './mistake-kinds.js';

type Found = Omit<Mistake, 'kind'>;
type Values = Readonly<Record<string, unknown>>;

/** A request with its response, as the checks see it. */
interface Call {
  readonly exchange: Exchange;
  /** Null if the API has none at this path, or if the response is a page. */
  readonly endpoint: Endpoint | null;
  readonly status: number;
  readonly store: Store;
  /** The fields of the body, without the wrapper. */
  readonly around: Values;
  /** Those in the wrapper. */
  readonly inside: Values;
}
type CallOfEndpoint = Call & { readonly endpoint: Endpoint };

const asObject = (value: unknown): Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : {};

/** The name in snake_case, if that is one of `names`; otherwise a similar one. `organization[logoUrl]` is a field of a form. */
function spelling(given: string, names: readonly string[]): string | null {
  const [, name = given] = /\[(\w+)\]$/.exec(given) ?? [];
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll('-', '_');
  return names.find((known) => known === snake) ?? nearest(snake, names) ?? null;
}

/** Names that requests to an endpoint can have inside the wrapper, and next to it. */
function namesOf({ request }: Endpoint) {
  const { fields, file, purge, wrapper } = request ?? {};
  const own = fields ? Object.keys(fieldsOf(fields)) : [];
  return { own, inside: [...own, file, purge].filter(isText), around: [wrapper, purge].filter(isText) };
}
const isText = (name: string | null | undefined): name is string => typeof name === 'string';

const isReadOnly = (endpoint: Endpoint, name: string): boolean =>
  Object.hasOwn(kindsIn(endpoint.operation), name) && !namesOf(endpoint).inside.includes(name);
const isState = ({ operation }: Endpoint, name: string): boolean => hasKind(kindsIn(operation), name, 'state');

/** The actions that lead to a state; null if the marketplace does that. */
function actionsTo({ operation }: Endpoint, state: unknown): string | null {
  const name = operation.split('.')[0] as ResourceName;
  const { states }: ResourceDescription = resources[name];
  if (Object.values(states?.marketplace ?? {}).some(({ to }) => to === state)) return null;
  const actions = Object.values<Endpoint>(contract[name]).filter(({ transition }) => transition?.to === state);
  return actions.map(({ path }) => `POST ${path}`).join(' or ') || null;
}

const missing = /^(undefined|null|NaN|\[object \w+\])?$/;

/** The segments of a path, each with the name of the parameter that is there. */
function segmentsOf({ exchange, endpoint }: Call) {
  const names = endpoint?.path.split('/') ?? [];
  return exchange.url.pathname.split('/').map((segment, place) => ({
    text: decoded(segment.replace(/\.json$/, '')),
    parameter: /^:(\w+)/.exec(names[place] ?? '')?.[1] ?? null,
  }));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not a mistake of this kind: the API responds with 404.
    return text;
  }
}

const tables = {
  accessTokens: 'access_tokens',
  organizations: 'organizations',
  members: 'memberships',
  campaigns: 'campaigns',
  collabs: 'collabs',
  socialAccounts: 'social_accounts',
} as const satisfies Partial<Record<ResourceName, TableName>>;

/** Items in the path that exist, but belong to others. */
async function foreignIds(call: Call, reader: Reader): Promise<Found[]> {
  const { endpoint, exchange } = call;
  const parameters = new Map(segmentsOf(call).map(({ parameter, text }) => [parameter, text]));
  const organization = idFrom(parameters.get('organization_id') ?? '', reader);
  for (const path of endpoint ? [...pathsAbove(endpoint.path), endpoint.path] : []) {
    const name = resourceAt(path) as keyof typeof tables | null;
    const id = parameters.get(parametersOf(path).at(-1) ?? null);
    if (name === null || id === undefined || !Object.hasOwn(tables, name)) continue;
    const key = name === 'members' ? id : idFrom(id, reader);
    const row = (await reader.get(tables[name], key as never)) as AnyRow | null;
    if (!row) return [];
    const given = `${capitalized(resources[name].singular)} ${id}`;
    if (name === 'organizations') {
      const member = [key as Id<'organizations'>, exchange.userId ?? ''] as const;
      const isMember = await reader.find('memberships', 'byOrganizationAndUser', member);
      if (!isMember) return [{ given, instead: `a token of one of its members, not of ${exchange.userId}` }];
    } else if (row.organization_id !== undefined && row.organization_id !== organization)
      return [{ given, instead: `organization ${row.organization_id} in the path` }];
    else if (row.organization_id === undefined && row.user_id !== exchange.userId)
      return [{ given, instead: `a token of ${row.user_id}` }];
  }
  return [];
}

const didYouMean = ({ instead }: Found): string => (instead === null ? '' : ` Did you mean ${instead}?`);

/** How a mistake is found, and the sentence that reports it. */
interface Check<Of = Call> {
  readonly find: (call: Of) => readonly Found[] | Promise<readonly Found[]>;
  readonly text: (found: Found, operation: string | null) => string;
}

/** Mistakes in what an endpoint takes. */
const endpointChecks = {
  'unknown-field': {
    find({ endpoint, around, inside }) {
      const { wrapper } = endpoint.request ?? {};
      const names = namesOf(endpoint);
      const misplaced = Object.keys(around).filter((given) => !names.around.includes(given));
      const unknown = Object.keys(inside).filter(
        (given) => !names.inside.includes(given) && !isReadOnly(endpoint, given),
      );
      const known = [...names.inside, ...Object.keys(kindsIn(endpoint.operation))];
      return [
        ...misplaced.map((given) => {
          const field = spelling(given, names.inside);
          return { given, instead: field === null ? spelling(given, names.around) : `${field} in "${wrapper}"` };
        }),
        ...unknown.map((given) => ({ given, instead: spelling(given, known) })),
      ];
    },
    text: (found, operation) =>
      `"${found.given}" is not a field of ${operation}, so it is ignored.${didYouMean(found)}`,
  },
  'unknown-parameter': {
    find({ endpoint, exchange }) {
      const names = [...(endpoint.paginated ? ['page'] : []), ...Object.keys(endpoint.query)];
      const unknown = [...exchange.url.searchParams.keys()].filter((given) => !names.includes(given));
      return unknown.map((given) => ({ given, instead: spelling(given, names) ?? (names.join(', ') || null) }));
    },
    text: ({ given, instead }, operation) =>
      `"${given}" is not a query parameter of ${operation}, so it is ignored. It has ${instead === null ? 'none' : `only ${instead}`}.`,
  },
  'read-only-field': {
    find({ endpoint, inside }) {
      const { file, wrapper } = endpoint.request ?? {};
      const images = fieldsOfKind(kindsIn(endpoint.operation), 'image');
      return Object.keys(inside)
        .filter((name) => isReadOnly(endpoint, name) && !isState(endpoint, name))
        .map((given) => ({ given, instead: file && images.includes(given) ? `a file as ${wrapper}[${file}]` : null }));
    },
    text: ({ given, instead }, operation) =>
      `"${given}" is read-only in ${operation}, so it is ignored. ${instead === null ? 'Leave it out' : `Send ${instead}`}.`,
  },
  'state-in-body': {
    find: ({ endpoint, inside }) =>
      Object.keys(inside)
        .filter((name) => isReadOnly(endpoint, name) && isState(endpoint, name))
        .map((given) => ({ given, instead: actionsTo(endpoint, inside[given]) })),
    text: ({ given, instead }, operation) =>
      `"${given}" cannot be set by ${operation}, so it is ignored. ${instead === null ? 'The marketplace sets it' : `Send ${instead}`}.`,
  },
  'decimal-amount': {
    find: ({ endpoint, inside }) =>
      fieldsOfKind(kindsIn(endpoint.operation), 'amount')
        .filter((name) => /^\D?\d+[.,]\d+\D?$/.test(String(inside[name])))
        .map((name) => {
          const digits = String(inside[name])
            .replace(',', '.')
            .replace(/[^\d.]/g, '');
          return { given: `${name}: ${inside[name]}`, instead: String(Math.round(Number(digits) * 100)) };
        }),
    text: ({ given, instead }) =>
      `"${given}" is a decimal, but amounts are integers, such as ${instead} in hundredths.`,
  },
  'foreign-id': {
    find: (call) =>
      call.status === 404 && call.exchange.userId !== null ? call.store.read((reader) => foreignIds(call, reader)) : [],
    text: ({ given, instead }) => `${given} exists, but not for this request, which needs ${instead}.`,
  },
} as const satisfies Partial<Record<MistakeKind, Check<CallOfEndpoint>>>;

/** Mistakes that any request can have. */
const requestChecks = {
  'undefined-in-path': {
    find: (call) => [
      ...segmentsOf(call)
        .slice(1)
        .filter(({ text }) => missing.test(text))
        .map(({ text, parameter }) => ({ given: text, instead: parameter })),
      ...[...call.exchange.url.searchParams]
        .filter(([, text]) => missing.test(text))
        .map(([name, text]) => ({ given: text, instead: name })),
    ],
    text: ({ given, instead }) =>
      `The URL contains "${given}"${instead === null ? '' : ` as ${instead}`}: a value was missing when it was built.`,
  },
  'undefined-in-token': {
    find({ exchange }) {
      const token = exchange.header('authorization')?.replace(/^Bearer *| +$/gi, '');
      return token !== undefined && missing.test(token) ? [{ given: token, instead: null }] : [];
    },
    text: ({ given }) => `The token is "${given}": it was missing when the header Authorization was built.`,
  },
  'missing-accept': {
    find: ({ exchange }) =>
      exchange.wantsJson ? [] : [{ given: exchange.header('accept') ?? '', instead: 'application/json' }],
    text: ({ instead }) => `The header Accept: ${instead} is missing, so the response is a page.`,
  },
} as const satisfies Partial<Record<MistakeKind, Check>>;

/** Everything that is looked for. What a request may contain follows from the contract. */
const checks: Readonly<Record<string, Check<CallOfEndpoint>>> = { ...requestChecks, ...endpointChecks };

/** The mistakes in a request that a program sent, not a browser for a page. */
export async function mistakesIn(
  exchange: Exchange,
  response: Response,
  store: Store,
  { allow }: Strict,
): Promise<readonly Mistake[]> {
  const { operation, wantsJson, url } = exchange;
  if (!wantsJson && exchange.header('authorization') === null && !url.pathname.endsWith('.json')) return [];
  const endpoint = (wantsJson && endpoints.find((one) => one.operation === operation)) || null;
  const { request } = endpoint ?? {};
  const form = request && exchange.form && formObject(exchange.form, request);
  const { [request?.wrapper ?? '']: inside, ...around } = asObject(form ?? exchange.sent);
  const { status } = response;
  const call = { exchange, endpoint, status, store, around: request ? around : {}, inside: asObject(inside) };
  const found = Object.entries(endpoint ? checks : requestChecks).map(async ([kind, { find }]) =>
    allow.includes(kind as MistakeKind)
      ? []
      : (await find(call as CallOfEndpoint)).map((one) => ({ kind: kind as MistakeKind, ...one })),
  );
  return (await Promise.all(found)).flat();
}

export const mistakeText = ({ kind, ...found }: Mistake, operation: string | null): string =>
  checks[kind]?.text(found, operation) ?? '';
