import * as z from 'zod/mini';
import { type Acts, actInputs } from './act-inputs.js';
import type { Argument } from './arguments.js';
import { isoMoment, timeSpan } from './clock.js';
import type { Control } from './control.js';
import { text } from './errors.js';
import { duration, faultRule } from './fault-rules.js';
import { newToken, seedSource, simulateOptions, snapshotShape } from './inputs.js';
import { requestFilter, waitOptions } from './matching.js';
import { type Countable, type Factories, factoryInputs } from './new-items.js';

/** What the control API of a server has as well. */
export interface ServerMethods extends Control {
  /** Lists the routes. */
  routes(): readonly string[];
  readonly namespaces: {
    list(): readonly string[];
    /** Creates a namespace, unless it exists. Returns its base URL. */
    open(name: string): Promise<{ readonly url: string }>;
    /** Removes a namespace with its data. Returns whether it existed. */
    close(name: string): Promise<boolean>;
  };
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
/** `GET /clock`, below `/__mkt/v1`. A part of the path such as `:id` is the first argument. */
type RequestLine = `${Method} /${string}`;

/** An argument with a possible value, for the reference and for tests. */
interface Example<Value = unknown> extends Argument<Value> {
  readonly example: Value;
}
type Examples<Values extends readonly unknown[]> = { readonly [Index in keyof Values]-?: Example<Values[Index]> };

/** How a control method is called over HTTP. */
export interface Route<Values extends readonly unknown[] = readonly unknown[]> {
  readonly request: RequestLine;
  /** What the method does and returns, for the reference. */
  readonly about: string;
  /** Those that are not in the path are in the query of a GET, otherwise the body is the only one. */
  readonly input: Examples<Values>;
  /** The body is a list of all arguments. */
  readonly isList?: true;
  /** The field of the body that has the argument. */
  readonly bodyField?: string;
  /** The status if the method returns nothing. */
  readonly status?: 204;
  /** The field of the response that has the result. */
  readonly resultField?: string;
  /** The request for the argument `false`. */
  readonly off?: RequestLine;
}

type Routes<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (...values: infer Values) => infer Result
    ? Route<Values> & (Result extends void | Promise<void> ? { readonly status: 204 } : unknown)
    : Routes<Methods[Name]>;
};

const withoutBody = <Some extends Route>(route: Some) => ({ ...route, status: 204 as const });

const route = <Values extends readonly unknown[]>(
  request: RequestLine,
  about: string,
  ...input: Examples<Values>
): Route<Values> => ({ request, about, input });

const example = <Value>(name: string, schema: z.ZodMiniType<Value>, example: NoInfer<Value>): Example<Value> => ({
  name,
  schema,
  example,
});

/** The input with an example of each argument. The callers type `values` against the method, which a map of a tuple loses. */
const withExamples = (input: readonly Argument[], values: readonly unknown[]) =>
  input.map((argument, index) => ({ ...argument, example: values[index] })) as never;

type ActValues<Name extends keyof Acts> = Parameters<Acts[Name]>;
const act = <Name extends keyof Acts>(
  name: Name,
  about: string,
  ...values: ActValues<Name>
): Route<ActValues<Name>> => ({
  request: `POST /act/${name}`,
  about,
  input: withExamples(actInputs[name], values),
  isList: true,
});

type Item<Name extends keyof Factories> = Parameters<Factories[Name]>[0];
const create = <Name extends keyof Factories>(
  name: Name,
  about: string,
  item: Countable<Item<Name>>,
): Route<[Item<Name>]> => ({
  request: `POST /create/${name}`,
  about,
  input: withExamples(factoryInputs[name], [item]),
});

const faultId = example('id', text, 'fault_1');
const namespaceName = example(
  'namespace',
  z.string('must be text').check(z.regex(/^[\w-]{1,64}$/, 'must be 1 to 64 letters, digits, hyphens or underscores')),
  'worker-1',
);

/** The control API: every control method of a server. */
export const controlRoutes: Routes<ServerMethods> = {
  routes: route('GET /', 'Lists these requests.'),
  reset: withoutBody(route('POST /reset', 'Restores the initial state: data, clock, faults, requests, rate limit.')),
  snapshot: route('GET /snapshot', 'Returns data, clock, faults, delay and simulation.'),
  restore: withoutBody(
    route(
      'PUT /snapshot',
      'Restores a snapshot and restarts the rate limit.',
      example('snapshot', snapshotShape, {
        version: 1,
        tables: {},
        serials: {},
        clock: { offset: 0, frozenAt: null },
        faults: [],
      }),
    ),
  ),
  seed: {
    ...route(
      'PUT /seed',
      'Replaces the data: `demo`, `empty`, `large`, the text or object of a seed file, or `{"extends": "demo", ...}`. Returns `tokens`.',
      example('seed', seedSource, 'demo'),
    ),
    bodyField: 'seed',
    resultField: 'tokens',
  },
  export: {
    ...route('GET /seed', 'Returns the data as the text of a seed file in `seed`, without tokens.'),
    resultField: 'seed',
  },
  clock: {
    read: route('GET /clock', 'Returns the clock: `now`, and whether it is `frozen`.'),
    set: route('POST /clock/set', 'Sets the clock. Returns it.', example('moment', isoMoment, '2026-06-01T00:00:00Z')),
    advance: route(
      'POST /clock/advance',
      'Advances the clock, or moves it back. Returns it.',
      example('duration', timeSpan, { days: 1, hours: 2, minutes: 3, seconds: 4, milliseconds: 5 }),
    ),
    freeze: route(
      'POST /clock/freeze',
      'Freezes the clock, without a body at its current time. Returns it.',
      example('moment', z.optional(isoMoment), '2026-06-01'),
    ),
    resume: route('POST /clock/resume', 'Resumes a frozen clock. Returns it.'),
  },
  faults: {
    add: route(
      'POST /faults',
      'Adds a fault. Returns it with its id.',
      example('fault', faultRule, { match: { operation: 'campaigns.list' }, effect: { status: 503 }, times: 2 }),
    ),
    list: route('GET /faults', 'Returns all faults, with their counts `seen` and `hits`.'),
    get: route('GET /faults/:id', 'Returns a fault.', faultId),
    remove: route('DELETE /faults/:id', 'Removes a fault. Returns whether it existed.', faultId),
    clear: withoutBody(route('DELETE /faults', 'Removes all faults, and ends hanging requests.')),
  },
  requests: {
    list: route(
      'GET /requests',
      'Returns the last thousand requests that match; `*` in a path matches anything.',
      example('filter', z.optional(requestFilter), {
        ...{ operation: 'campaigns.list', method: 'GET', path: '/organizations/*' },
        ...{ status: 200, user: 'usr_ada', unexpected: false },
      }),
    ),
    waitFor: route(
      'GET /requests/next',
      'Returns the first request that matches, sent earlier or in so many milliseconds; 422 if there is none.',
      example('filter', z.optional(requestFilter), { operation: 'campaigns.list' }),
      example('options', z.optional(waitOptions), { timeout: 1000 }),
    ),
    clear: withoutBody(route('DELETE /requests', 'Clears the list of requests.')),
  },
  getLatency: route('GET /latency', 'Returns the delay of responses: milliseconds, or the least and the most.'),
  setLatency: withoutBody(route('PUT /latency', 'Delays every response.', example('latency', duration, [100, 300]))),
  simulate: {
    ...route(
      'PUT /simulation',
      'Lets active campaigns earn views. `speed` makes the clock run faster: 1 to 1,000,000.',
      example('simulate', z.optional(simulateOptions), { speed: 3600 }),
    ),
    off: 'DELETE /simulation',
    status: 204,
  },
  getSimulation: route('GET /simulation', 'Returns the simulation that runs, or `false`.'),
  assertNoUnexpected: withoutBody(
    route('GET /unexpected', 'Responds with 422 and the unexpected requests, if there are any.'),
  ),
  verifyAndReset: withoutBody(
    route('POST /verify', 'Resets. Responds with 422, the unexpected and the last requests, if there were any.'),
  ),
  act: {
    fundCampaign: withoutBody(act('fundCampaign', 'Adds to the budget of a campaign.', 4, 100_000)),
    finishCampaign: withoutBody(act('finishCampaign', 'Finishes an active or paused campaign.', 4)),
    addCampaignResults: withoutBody(
      act('addCampaignResults', 'Adds views, submissions and used budget.', 3, {
        view_count: 1200,
        submissions_count: 2,
        used_amount: 300,
      }),
    ),
    reviewCollab: withoutBody(
      act('reviewCollab', 'Publishes a submitted collab, or returns it to draft.', 2, 'published'),
    ),
    addCollabResults: withoutBody(
      act('addCollabResults', 'Adds submissions, approvals and completions.', 1, {
        submissions_count: 3,
        approved_submissions_count: 1,
        completed_count: 1,
      }),
    ),
    syncSocialAccount: withoutBody(
      act('syncSocialAccount', 'Verifies or fails an account, and sets its metrics.', 2, {
        ...{ status: 'verified', subscriber_count: 48_000, view_count: 1_200_000 },
        ...{ video_count: 96, likes_count: 310_000, engagement_rate: '4.82' },
      }),
    ),
    addMember: act('addMember', 'Adds `user`, or a new one with `name` and `email`. Returns `id` and `user`.', 5, {
      user: 'usr_eve',
      role: 'admin',
    }),
    setSubscription: withoutBody(
      act('setSubscription', 'Starts or ends a subscription, which prevents deletion.', 5, true),
    ),
    revokeToken: withoutBody(act('revokeToken', 'Revokes a token by its secret.', 'mkt_demo_ada_read')),
  },
  create: {
    campaign: create('campaign', 'Creates a campaign in any state. Returns its `id`; with `count` a list.', {
      organization: 5,
      status: 'finished',
      count: 3,
    }),
    collab: create('collab', 'Creates a collab in any state.', { organization: 5 }),
    organization: create('organization', 'Creates an organization, with `owner`, `campaigns`, `collabs`.', {
      name: 'Studio',
    }),
    member: create('member', 'Adds a member, without `user` a new one.', { organization: 5, role: 'admin' }),
    user: create('user', 'Creates a user. Returns its `id` and a `token`.', { name: 'Zoe' }),
    socialAccount: create('socialAccount', 'Creates an account of a user.', { user: 'usr_ada', count: 2 }),
  },
  createToken: route(
    'POST /tokens',
    'Creates an access token for any user. Returns its `id` and the secret `token`.',
    example('token', newToken, { user: 'usr_ada', permission: 'read', description: 'For a test' }),
  ),
  namespaces: {
    list: route('GET /namespaces', 'Returns the names of the namespaces.'),
    open: route('PUT /namespaces/:name', 'Creates a namespace, unless it exists. Returns its `url`.', namespaceName),
    close: route('DELETE /namespaces/:name', 'Removes a namespace. Returns whether it existed.', namespaceName),
  },
};

/** A route, and the names that lead to its method: `clock`, `set`. */
export interface ListedRoute extends Route {
  readonly names: readonly string[];
  readonly method: string;
  readonly path: string;
  /** Whether this is the request for the argument `false`. */
  readonly isOff: boolean;
}

const listed = (routes: object, names: readonly string[]): readonly ListedRoute[] =>
  Object.entries(routes).flatMap(([name, value]: [string, Route | object]) => {
    if (!('request' in value)) return listed(value, [...names, name]);
    return [value.request, value.off ?? []].flat().map((request) => {
      const [method = '', path = ''] = request.split(' ');
      return { ...value, names: [...names, name], method, path, isOff: request === value.off };
    });
  });

export const routeList: readonly ListedRoute[] = listed(controlRoutes, []);
