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
import { siteOf } from './call-sites.js';
import type { Mistake, MistakeKind, Strict } from './mistake-kinds.js';
import { traceInPage } from './page-calls.js';

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

/** The name in snake_case. `organization[logoUrl]` is a field of a form. */
const snakeOf = (given: string): string =>
  (/\[(\w+)\]$/.exec(given)?.[1] ?? given)
    .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    .replaceAll('-', '_');

/** The one of `names` that is meant: the same in snake_case, a similar one, or one with another last word. */
function spelling(given: string, names: readonly string[]): string | null {
  const snake = snakeOf(given);
  return (
    [snake, nearest(snake, names), snake.replace(/_[a-z]+$/, '')].find((name) => names.includes(name ?? '')) ?? null
  );
}

/** Names that requests to an endpoint can have inside the wrapper, and next to it. */
function namesOf({ request }: Endpoint) {
  const { fields, file, purge, wrapper } = request ?? {};
  const own = fields ? Object.keys(fieldsOf(fields)) : [];
  return { own, inside: [...new Set([...own, file, purge])].filter(isText), around: [wrapper, purge].filter(isText) };
}
const isText = (name: string | null | undefined): name is string => typeof name === 'string';

const resourceOf = ({ operation }: Endpoint): ResourceDescription => resources[operation.split('.')[0] as ResourceName];
/** The field that is meant by `status` or `state`. */
const stateFor = (endpoint: Endpoint, given: string): string | undefined => {
  const field = resourceOf(endpoint).states?.field;
  return /^(status|state)$/.test(snakeOf(given)) ? field : undefined;
};
const isReadOnly = (endpoint: Endpoint, given: string): boolean =>
  stateFor(endpoint, given) !== undefined ||
  (Object.hasOwn(kindsIn(endpoint.operation), snakeOf(given)) && !namesOf(endpoint).inside.includes(snakeOf(given)));

/** The actions that lead to a state, or all if there is no such state; null if the marketplace does that. */
function actionsTo(endpoint: Endpoint, state: unknown): string | null {
  const { name, states } = resourceOf(endpoint);
  if (Object.values(states?.marketplace ?? {}).some(({ to }) => to === state)) return null;
  const isKnown = states?.names.includes(state as string);
  const actions = Object.values<Endpoint>(contract[name as ResourceName]).filter(
    ({ transition }) => transition && (!isKnown || transition.to === state),
  );
  return actions.map(({ path }) => `POST ${path}`).join(' or ') || null;
}

/** An amount in hundredths: of 12.5, `$12,50` and `1,200.00`; null if it has no decimals. */
function hundredthsOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isInteger(value) ? null : Math.round(value * 100);
  const [number] = (typeof value === 'string' && /\d[\d., ]*[.,]\d+/.exec(value)) || [];
  if (number === undefined) return null;
  const [, whole = '', decimals = ''] = /^(.*?)(?:[.,](\d{1,2}))?$/.exec(number) ?? [];
  return Number(`${whole.replace(/\D/g, '')}${decimals.padEnd(2, '0')}`);
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

/** Why a text such as `undefined` was sent. */
const causes: Readonly<Record<string, string>> = {
  '[object Promise]': 'a promise was not awaited',
  '[object Object]': 'an object was put there',
};
const causeOf = (given: string): string => causes[given] ?? 'a value was missing';

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
      const isUnknown = (given: string) => !isReadOnly(endpoint, given);
      const misplaced = Object.keys(around).filter((given) => !names.around.includes(given) && isUnknown(given));
      const unknown = Object.keys(inside).filter((given) => !names.inside.includes(given) && isUnknown(given));
      return [
        ...misplaced.map((given) => {
          const field = spelling(given, names.inside);
          return { given, instead: field === null ? spelling(given, names.around) : `${field} in "${wrapper}"` };
        }),
        ...unknown.map((given) => ({ given, instead: spelling(given, names.inside) })),
      ];
    },
    text({ given, instead }, operation) {
      const endpoint = endpoints.find((one) => one.operation === operation);
      const remedy =
        instead === null ? `It has ${endpoint && namesOf(endpoint).inside.join(', ')}.` : `Did you mean ${instead}?`;
      return `"${given}" is not a field of ${operation}, so it is ignored. ${remedy}`;
    },
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
    find({ endpoint, around, inside }) {
      const { file, wrapper } = endpoint.request ?? {};
      const images = fieldsOfKind(kindsIn(endpoint.operation), 'image');
      return Object.keys({ ...around, ...inside })
        .filter((name) => isReadOnly(endpoint, name) && !stateFor(endpoint, name))
        .map((given) => {
          const isImage = file && images.includes(snakeOf(given));
          return { given, instead: isImage ? `a file as ${wrapper}[${file}]` : null };
        });
    },
    text: ({ given, instead }, operation) =>
      `"${given}" is read-only in ${operation}, so it is ignored. ${instead === null ? 'Leave it out' : `Send ${instead}`}.`,
  },
  'state-in-body': {
    find: ({ endpoint, around, inside }) =>
      Object.entries({ ...around, ...inside })
        .filter(([name]) => stateFor(endpoint, name))
        .map(([given, state]) => ({ given, instead: actionsTo(endpoint, state) })),
    text: ({ given, instead }, operation) =>
      `"${given}" cannot be set by ${operation}, so it is ignored. ${instead === null ? 'The marketplace sets it' : `Send ${instead}`}.`,
  },
  'decimal-amount': {
    find: ({ endpoint, around, inside }) =>
      Object.entries({ ...around, ...inside }).flatMap(([name, value]) => {
        const hundredths = hasKind(kindsIn(endpoint.operation), snakeOf(name), 'amount') ? hundredthsOf(value) : null;
        return hundredths === null ? [] : [{ given: `${name}: ${value}`, instead: `${hundredths}` }];
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

/** A path of the API below another one, such as `/api/v1`. */
const nestedPath = new RegExp(`^(/.+?)(${endpoints.map(({ path }) => path.replace(/:\w+/g, '[^/]+')).join('|')})$`);

/** Mistakes that any request can have. */
const requestChecks = {
  'wrong-host': {
    find({ exchange: { operation, url } }) {
      const [, given, path] = (operation === null && nestedPath.exec(url.pathname)) || [];
      return given === undefined || path === undefined ? [] : [{ given, instead: path }];
    },
    text: ({ given, instead }) => `The API is not below ${given}. Send the request to ${instead}.`,
  },
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
      `The URL contains "${given}"${instead === null ? '' : ` as ${instead}`}: ${causeOf(given)} when it was built.`,
  },
  'undefined-in-token': {
    find({ exchange }) {
      const token = exchange.header('authorization')?.replace(/^Bearer *| +$/gi, '');
      return token !== undefined && missing.test(token) ? [{ given: token, instead: null }] : [];
    },
    text: ({ given }) => `The token is "${given}": ${causeOf(given)} when the header Authorization was built.`,
  },
  'missing-accept': {
    find: ({ exchange }) =>
      exchange.wantsJson ? [] : [{ given: exchange.header('accept') ?? '', instead: 'application/json' }],
    text: ({ instead }) => `The header Accept: ${instead} is missing, so the response is a page.`,
  },
} as const satisfies Partial<Record<MistakeKind, Check>>;

/** Everything that is looked for. What a request may contain follows from the contract. */
const checks: Readonly<Record<string, Check<CallOfEndpoint>>> = { ...requestChecks, ...endpointChecks };

/** The mistakes in a request that a program sent, not a browser for a page, and what to say about them. */
export async function mistakesIn(
  exchange: Exchange,
  response: Response,
  store: Store,
  { allow }: Strict,
): Promise<{ readonly found: readonly Mistake[]; readonly text: string }> {
  const { operation, wantsJson, url } = exchange;
  if (!wantsJson && exchange.header('authorization') === null && !url.pathname.endsWith('.json'))
    return { found: [], text: '' };
  const endpoint = (wantsJson && endpoints.find((one) => one.operation === operation)) || null;
  const { request } = endpoint ?? {};
  const form = request && exchange.form && formObject(exchange.form, request);
  const { [request?.wrapper ?? '']: inside, ...around } = asObject(form ?? exchange.sent);
  const { status } = response;
  const call = { exchange, endpoint, status, store, around: request ? around : {}, inside: asObject(inside) };
  const kinds = Object.entries(endpoint ? checks : requestChecks).filter(
    ([kind]) => !allow.includes(kind as MistakeKind),
  );
  const found = await Promise.all(
    kinds.map(async ([kind, { find, text }]) =>
      (await find(call as CallOfEndpoint)).map((one) => ({
        mistake: { kind: kind as MistakeKind, ...one },
        sentence: text(one, operation),
      })),
    ),
  );
  const text = found
    .flat()
    .map(({ sentence }) => sentence)
    .join(' ');
  await traceInPage(siteOf(exchange.request), text);
  return { found: found.flat().map(({ mistake }) => mistake), text };
}
