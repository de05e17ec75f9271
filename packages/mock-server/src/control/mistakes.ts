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
import type { Exchange, Reader, Store } from '@mkt/server';
import { type AnyRow, capitalized, fieldsOf, formObject, type Id, idFrom } from '@mkt/server/extend';
import { nearest } from '@mkt/server/seeds';
import { siteOf } from './call-sites.js';
import type { Mistake, MistakeKind, Strict } from './mistake-kinds.js';
import { traceInPage } from './page-calls.js';
import { tables } from './tables.js';

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

const hasFields = (values: Values): boolean => Object.keys(values).length > 0;

/** The name in snake_case. `organization[logoURL]` is a field of a form. What removes an image begins with `purge`. */
const snakeOf = (given: string): string =>
  (/\[(\w+)\](\[\])?$/.exec(given)?.[1] ?? given)
    .replace(/(?<=[a-z\d])(?=[A-Z])|-/g, '_')
    .toLowerCase()
    .replace(/^(remove|delete|clear)_/, 'purge_');

const hasWordsOf = (name: string, other: string): boolean =>
  other.split('_').every((word) => name.split('_').includes(word));

/** The one of `all` that is meant: the same in snake_case, a similar one, or the only one with more, fewer or other last words. */
function spelling(given: string, all: readonly string[]): string | null {
  const snake = snakeOf(given);
  const names = all.filter((name) => !name.startsWith('purge_') || snake.startsWith('purge'));
  if (names.includes(snake)) return snake;
  const [, start = snake, last = ''] = /^(.+)_([a-z]+)$/.exec(snake) ?? [];
  const forms = names.some((name) => hasWordsOf(name, last)) ? [snake] : [snake, start];
  // Every owner_id has the word id.
  const related = names.filter(
    (name) => !/^(id|url)$/.test(name) && forms.some((one) => hasWordsOf(name, one) || hasWordsOf(one, name)),
  );
  return nearest(snake, names) ?? (related.length === 1 ? (related[0] as string) : null);
}

/** Names that requests to an endpoint can have inside the wrapper, and next to it. */
function namesOf({ request }: Endpoint) {
  const { fields, file, purge, wrapper } = request ?? {};
  const inside = new Set([...Object.keys(fields ? fieldsOf(fields) : {}), file, purge]);
  const present = (name: string | null | undefined) => name ?? [];
  return { inside: [...inside].flatMap(present), around: [wrapper, purge].flatMap(present) };
}

const resourceOf = ({ operation }: Endpoint): ResourceDescription => resources[operation.split('.')[0] as ResourceName];
/** The state that is meant by `status: 'active'`, `campaignStatus` or `isPaused`; null for other fields. */
function stateIn(endpoint: Endpoint, given: string, value: unknown): string | null {
  const [, name = ''] = /^(?:is_)?(.+)$/.exec(snakeOf(given)) ?? [];
  const { states } = resourceOf(endpoint);
  if (states && /(^|_)(status|state)$/.test(name)) return `${value}`.toLowerCase();
  return states?.names.includes(name) ? name : null;
}
/** The read-only field that is meant; null if a field that can be set is meant. */
function readOnlyName(endpoint: Endpoint, given: string, sent?: Values): string | null {
  const { inside } = namesOf(endpoint);
  const others = Object.keys(kindsIn(endpoint.operation)).filter((name) => !inside.includes(name));
  const snake = snakeOf(given);
  // An account's own url is read-only, but its account_url may be meant. Every owner_id ends with id.
  const isMeant = (name: string) => snake !== 'id' && name.endsWith(`_${snake}`) && sent?.[name] === undefined;
  const isOwn = others.includes(snake) && !(sent && inside.some(isMeant));
  return isOwn || spelling(given, inside) === null ? spelling(given, others) : null;
}

const isReadOnly = (endpoint: Endpoint, given: string, sent: Values): boolean =>
  (stateIn(endpoint, given, sent[given]) ?? readOnlyName(endpoint, given, sent)) !== null;

/** The actions that lead to a state, or all if there is no such state; null if the marketplace does that. */
function actionsTo(endpoint: Endpoint, state: string): string | null {
  const { name, states } = resourceOf(endpoint);
  if (Object.values(states?.marketplace ?? {}).some(({ to }) => to === state)) return null;
  const isKnown = states?.names.includes(state);
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

/** Texts that are sent by mistake, and the causes. */
const causes: readonly (readonly [RegExp, string])[] = [
  [/^(undefined|null|NaN|-?Infinity)?$/, 'a value was missing'],
  [/^\[object Promise\]$/, 'a promise was not awaited'],
  [/^\[object \w+\]$/, 'an object was put there'],
  [/^(\$?\{.*\}|:\w+)$/, 'a placeholder was not replaced'],
  [/=>|^(async )?function\b/, 'a function was not called'],
];
const causeOf = (text: string): string | undefined => causes.find(([pattern]) => pattern.test(text))?.[1];

/** The segments of a path, each with the name of the parameter that is there. */
function segmentsOf({ exchange, endpoint }: Call) {
  const names = endpoint?.path.split('/') ?? [];
  return exchange.url.pathname.split('/').map((segment, place) => ({
    text: decoded(segment.replace(/\.json$/, '')),
    parameter: /^:(\w+)/.exec(names[place] ?? '')?.[1] ?? null,
  }));
}

/** Unlike `decodeURIComponent`, it keeps what is not encoded correctly. */
const decoded = (text: string): string =>
  new URLSearchParams(`=${text.replace(/[+&]/g, encodeURIComponent)}`).get('') ?? '';

/** Items in the path that exist, but belong to others. */
async function foreignIds(call: Call, reader: Reader): Promise<Found[]> {
  const { endpoint, exchange } = call;
  const parameters = new Map(segmentsOf(call).map(({ parameter, text }) => [parameter, text]));
  const organization = idFrom(parameters.get('organization_id') ?? '', reader);
  for (const path of endpoint ? [...pathsAbove(endpoint.path), endpoint.path] : []) {
    const name = resourceAt(path);
    const id = parameters.get(parametersOf(path).at(-1) ?? null);
    if (name === null || id === undefined || name === 'address') continue;
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

/** How a mistake is found, and the sentence that reports it. */
interface Check<Of = Call> {
  readonly find: (call: Of) => readonly Found[] | Promise<readonly Found[]>;
  readonly text: (found: Found, endpoint: Of extends CallOfEndpoint ? Endpoint : null) => string;
}

const endpointChecks = {
  'unknown-field': {
    find({ endpoint, exchange: { sent }, around, inside }) {
      const { wrapper } = endpoint.request ?? {};
      if (wrapper && typeof sent === 'string' && /^\s*\{/.test(sent))
        return [{ given: sent.trim().slice(0, 100), instead: null }];
      const names = namesOf(endpoint);
      const unknown = (values: Values, known: readonly string[]) =>
        Object.keys(values).filter(
          (given) => !known.includes(given) && !isReadOnly(endpoint, given, { ...around, ...inside }),
        );
      return [
        ...unknown(around, names.around).map((given) => {
          const field = spelling(given, names.inside);
          if (field !== null) return { given, instead: `${field} in "${wrapper}"` };
          const isWrapper = !hasFields(inside) && hasFields(asObject(around[given]));
          return { given, instead: (isWrapper ? wrapper : spelling(given, names.around)) ?? null };
        }),
        ...unknown(inside, names.inside).map((given) => ({ given, instead: spelling(given, names.inside) })),
      ];
    },
    text({ given, instead }, endpoint) {
      if (given.startsWith('{')) return `The body is JSON in a JSON text: it was encoded twice. Send ${given}`;
      const remedy = instead === null ? `It has ${namesOf(endpoint).inside.join(', ')}.` : `Did you mean ${instead}?`;
      return `"${given}" is not a field of ${endpoint.operation}, so it is ignored. ${remedy}`;
    },
  },
  'unknown-parameter': {
    find({ endpoint, exchange }) {
      const names = [...(endpoint.paginated ? ['page'] : []), ...Object.keys(endpoint.query)];
      const unknown = [...exchange.url.searchParams.keys()].filter((given) => !names.includes(given));
      return unknown.map((given) => ({ given, instead: spelling(given, names) ?? (names.join(', ') || null) }));
    },
    text: ({ given, instead }, { operation }) =>
      `"${given}" is not a query parameter of ${operation}, so it is ignored. It has ${instead === null ? 'none' : `only ${instead}`}.`,
  },
  'read-only-field': {
    find({ endpoint, around, inside }) {
      const { file, wrapper } = endpoint.request ?? {};
      const images = fieldsOfKind(kindsIn(endpoint.operation), 'image');
      const sent = { ...around, ...inside };
      return Object.keys(sent)
        .filter((name) => isReadOnly(endpoint, name, sent) && stateIn(endpoint, name, sent[name]) === null)
        .map((given) => {
          const isImage = file && images.includes(readOnlyName(endpoint, given) ?? '');
          return { given, instead: isImage ? `a file as ${wrapper}[${file}]` : null };
        });
    },
    text({ given, instead }, endpoint) {
      const name = readOnlyName(endpoint, given);
      return `"${given}"${name === given ? '' : ` (${name})`} is read-only in ${endpoint.operation}, so it is ignored. ${instead === null ? 'Leave it out' : `Send ${instead}`}.`;
    },
  },
  'state-in-body': {
    find: ({ endpoint, around, inside }) =>
      Object.entries({ ...around, ...inside }).flatMap(([given, value]) => {
        const state = stateIn(endpoint, given, value);
        return state === null ? [] : [{ given, instead: actionsTo(endpoint, state) }];
      }),
    text: ({ given, instead }, { operation }) =>
      `"${given}" cannot be set by ${operation}, so it is ignored. ${instead === null ? 'The marketplace sets it' : `Send ${instead}`}.`,
  },
  'decimal-amount': {
    find: ({ endpoint, around, inside }) =>
      Object.entries({ ...around, ...inside }).flatMap(([name, value]) => {
        const kinds = kindsIn(endpoint.operation);
        const isAmount = hasKind(kinds, spelling(name, Object.keys(kinds)) ?? '', 'amount');
        const hundredths = isAmount ? hundredthsOf(value) : null;
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

/** The segments and parameters of a URL that are texts such as `undefined`. */
const misspelt = (call: Call): Found[] =>
  [
    ...segmentsOf(call)
      .slice(1)
      .map(({ text, parameter }) => ({ given: text, instead: parameter })),
    // The API reports an empty value itself.
    ...[...call.exchange.url.searchParams].flatMap(([name, text]) => [
      { given: name, instead: null },
      ...(text === '' ? [] : [{ given: text, instead: name }]),
    ]),
  ].filter(({ given }) => causeOf(given) !== undefined);

/** A path of the API below another one, such as `/api/v1`. */
const nestedPath = new RegExp(`^(/.+?)(${endpoints.map(({ path }) => path.replace(/:\w+/g, '[^/]+')).join('|')})$`);

/** Matches a path whose slashes or parents are missing. */
const loosely = ({ path }: Endpoint): string =>
  path.replace(/^\/(me|organizations\/:\w+)(?=\/)/, '(?:$&)?').replaceAll('/', '/?');
/** Matches the path of an action with another name. */
const withAnyAction = ({ path, transition }: Endpoint): string =>
  transition ? path.replace(/\/\w+$/, '/[^/]+') : path;
const segmentNames = [...new Set(endpoints.flatMap(({ path }) => path.match(/(?<=\/)\w+/g) ?? []))];

/** The requests that may be meant if a path has no endpoint, or, because of a missing slash, the wrong one. */
function requestsMeant({ exchange: { method, url }, endpoint }: Call): string | null {
  const given = url.pathname.replace(/\.\w+$/, '');
  const corrected = given.replace(/(?<=\/)[a-z_-]+/gi, (name) => spelling(name, segmentNames) ?? name);
  const withoutParent = corrected.replace(/^\/(me|organizations\/[^/]+)(?=\/)/, '');
  const readings = [
    [given, loosely],
    [corrected, loosely],
    [withoutParent, loosely],
    [corrected, withAnyAction],
  ] as const;
  for (const [path, reading] of endpoint ? readings.slice(0, 1) : readings) {
    const found = endpoints.flatMap((one) => {
      const pattern = reading(one).replace('.json', '').replace(/:\w+/g, '([^/.]+?)');
      const match = one.path !== endpoint?.path && new RegExp(`^${pattern}$`).exec(path);
      const ids = match ? match.slice(1) : [];
      return match ? [{ ...one, path: one.path.replace(/:\w+/g, (name) => ids.shift() ?? name) }] : [];
    });
    // `fetch` sends `patch` as it is.
    const same = found.filter((one) => one.method === method.toUpperCase());
    if (found.length > 0)
      return (same.length > 0 ? same : found).map((one) => `${one.method} ${one.path}`).join(' or ');
  }
  return null;
}

const requestChecks = {
  'wrong-host': {
    find({ exchange: { operation, url } }) {
      const [, given = '', instead = null] = (operation === null && nestedPath.exec(url.pathname)) || [];
      return instead === null ? [] : [{ given, instead }];
    },
    text: ({ given, instead }) => `The API is not below ${given}. Send the request to ${instead}.`,
  },
  'unknown-endpoint': {
    find(call) {
      const { operation, method, url } = call.exchange;
      if (![404, 405].includes(call.status) || nestedPath.test(url.pathname) || misspelt(call).length > 0) return [];
      const instead = requestsMeant(call);
      return operation === null || instead !== null ? [{ given: `${method} ${url.pathname}`, instead }] : [];
    },
    text: ({ instead }) => `The API has no such endpoint.${instead === null ? '' : ` Did you mean ${instead}?`}`,
  },
  'undefined-in-path': {
    find: misspelt,
    text({ given, instead }) {
      const what = given === '' ? 'an empty part' : `"${given}"`;
      const cause = given === '' ? 'a value was missing, or a slash too many was added,' : causeOf(given);
      return `The URL contains ${what}${instead === null ? '' : ` as ${instead}`}: ${cause} when it was built.`;
    },
  },
  'undefined-in-token': {
    find({ exchange }) {
      const given = exchange.header('authorization')?.replace(/^Bearer *| +$/gi, '');
      return given !== undefined && causeOf(given) ? [{ given, instead: null }] : [];
    },
    text: ({ given }) => `The token is "${given}": ${causeOf(given)} when the header Authorization was built.`,
  },
  'malformed-token': {
    find({ exchange }) {
      const given = exchange.header('authorization') ?? '';
      if (/^Bearer +[^\s"']+$/i.test(given) || causeOf(given.replace(/^Bearer *| +$/gi, ''))) return [];
      return [{ given: given.replace(/[^\s"']{9,}/g, '***'), instead: 'Bearer ' }];
    },
    text: ({ given, instead }) => `The header Authorization is '${given}'. Send '${instead}' and the token.`,
  },
  'missing-accept': {
    find: ({ exchange }) =>
      exchange.wantsJson ? [] : [{ given: exchange.header('accept') ?? '', instead: 'application/json' }],
    text: ({ instead }) => `The header Accept: ${instead} is missing, so the response is a page.`,
  },
} as const satisfies Partial<Record<MistakeKind, Check>>;

/** Everything that is looked for. What a request may contain follows from the contract. */
const checks: Readonly<Record<string, Check<CallOfEndpoint>>> = { ...requestChecks, ...endpointChecks };

export interface Listed {
  readonly found: readonly Mistake[];
  /** What to say about them: absent if there are none, empty if all are allowed. */
  readonly text?: string;
}

/** The mistakes in a request that a program sent, not a browser for a page. */
export async function mistakesIn(exchange: Exchange, response: Response, store: Store, { allow }: Strict) {
  const { operation, wantsJson, url } = exchange;
  if (
    !wantsJson &&
    exchange.header('authorization') === null &&
    (operation === null || !url.pathname.endsWith('.json'))
  )
    return { found: [] };
  const endpoint = (wantsJson && endpoints.find((one) => one.operation === operation)) || null;
  const { request } = endpoint ?? {};
  const form = request && exchange.form && formObject(exchange.form, request);
  const { [request?.wrapper ?? '']: inside, ...around } = asObject(form ?? exchange.sent);
  const { status } = response;
  const call = { exchange, endpoint, status, store, around: request ? around : {}, inside: asObject(inside) };
  const all = await Promise.all(
    Object.entries(endpoint ? checks : requestChecks).map(async ([kind, { find, text }]) =>
      (await find(call as CallOfEndpoint)).map((one) => ({
        mistake: { kind: kind as MistakeKind, ...one },
        sentence: text(one, endpoint as Endpoint & null),
      })),
    ),
  );
  const found = all.flat().filter(({ mistake }) => !allow.includes(mistake.kind));
  const text = found.map(({ sentence }) => sentence).join(' ');
  await traceInPage(siteOf(exchange.request), text);
  return { found: found.map(({ mistake }) => mistake), ...(all.flat().length > 0 && { text }) };
}
