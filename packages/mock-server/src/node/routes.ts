import type { Control, Unchecked, UncheckedActs } from '../control/control.js';
import { ControlError } from '../control/errors.js';
import type { Namespaces } from './namespaces.js';

interface ControlCall {
  /** The last segment of the path, if the route has a parameter. */
  readonly name: string;
  readonly query: URLSearchParams;
  /** The JSON body; undefined if there is none. */
  readonly body: unknown;
  /** @throws {ControlError} if this server has none */
  readonly namespaces: () => Namespaces;
  /** The URL of the server, as the caller knows it. */
  readonly serverUrl: string;
}

interface ControlRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/__mkt/v1`; `:name` matches one segment. */
  readonly path: string;
  /** Returns the JSON of the response; undefined is a 204. The control method checks its input itself. */
  readonly run: (control: Unchecked<Control>, call: ControlCall) => unknown;
}

function filterOf(query: URLSearchParams): object {
  const { status, unexpected, ...texts } = Object.fromEntries(query);
  const flags: Readonly<Record<string, boolean>> = { true: true, false: false };
  return {
    ...texts,
    ...(status !== undefined && { status: Number(status) }),
    ...(unexpected !== undefined && { unexpected: flags[unexpected] ?? unexpected }),
  };
}

/** The method with this name. @throws {ControlError} that lists all names */
function named(what: string, methods: UncheckedActs, name: string) {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (!method) throw new ControlError(`There is no ${what} ${name}. Use one of ${Object.keys(methods).join(', ')}.`);
  return method;
}

function act(acts: UncheckedActs, name: string, values: unknown): unknown {
  const perform = named('action', acts, name);
  if (!Array.isArray(values)) throw new ControlError("An act's arguments are sent as a JSON list, in their order.");
  return perform(...values);
}

/** The control methods over HTTP. */
export const controlRoutes: readonly ControlRoute[] = [
  { method: 'GET', path: '/', run: () => controlRoutes.map(({ method, path }) => `${method} ${path}`) },
  { method: 'POST', path: '/reset', run: (control) => control.reset() },
  { method: 'GET', path: '/snapshot', run: (control) => control.snapshot() },
  { method: 'PUT', path: '/snapshot', run: (control, { body }) => control.restore(body) },
  { method: 'GET', path: '/seed', run: async (control) => ({ seed: await control.export() }) },
  {
    method: 'PUT',
    path: '/seed',
    run: async (control, { body }) => ({
      tokens: await control.seed((body as { readonly seed?: unknown } | undefined)?.seed),
    }),
  },
  { method: 'GET', path: '/clock', run: (control) => control.clock.read() },
  { method: 'POST', path: '/clock/set', run: (control, { body }) => control.clock.set(body) },
  { method: 'POST', path: '/clock/advance', run: (control, { body }) => control.clock.advance(body) },
  { method: 'POST', path: '/clock/freeze', run: (control, { body }) => control.clock.freeze(body) },
  { method: 'POST', path: '/clock/resume', run: (control) => control.clock.resume() },
  { method: 'GET', path: '/faults', run: (control) => control.faults.list() },
  { method: 'POST', path: '/faults', run: (control, { body }) => control.faults.add(body) },
  { method: 'DELETE', path: '/faults', run: (control) => control.faults.clear() },
  { method: 'GET', path: '/faults/:name', run: (control, { name }) => control.faults.get(name) },
  { method: 'DELETE', path: '/faults/:name', run: (control, { name }) => control.faults.remove(name) },
  { method: 'GET', path: '/requests', run: (control, { query }) => control.requests.list(filterOf(query)) },
  {
    method: 'GET',
    path: '/requests/next',
    run(control, { query }) {
      const { timeout, ...filter } = Object.fromEntries(query);
      const options = timeout === undefined ? {} : { timeout: Number(timeout) };
      return control.requests.waitFor(filterOf(new URLSearchParams(filter)), options);
    },
  },
  { method: 'GET', path: '/latency', run: (control) => control.getLatency() },
  { method: 'PUT', path: '/latency', run: (control, { body }) => control.setLatency(body) },
  { method: 'GET', path: '/simulation', run: (control) => control.getSimulation() },
  { method: 'PUT', path: '/simulation', run: (control, { body }) => control.simulate(body) },
  { method: 'DELETE', path: '/simulation', run: (control) => control.simulate(false) },
  { method: 'GET', path: '/unexpected', run: (control) => control.assertNoUnexpected() },
  { method: 'DELETE', path: '/requests', run: (control) => control.requests.clear() },
  { method: 'POST', path: '/act/:name', run: (control, { name, body }) => act(control.act, name, body) },
  {
    method: 'POST',
    path: '/create/:name',
    run: (control, { name, body }) => named('factory', control.create, name)(body),
  },
  { method: 'GET', path: '/namespaces', run: (_, { namespaces }) => namespaces().list() },
  {
    method: 'PUT',
    path: '/namespaces/:name',
    run: (_, { name, namespaces, serverUrl }) => namespaces().open(name, serverUrl),
  },
  { method: 'DELETE', path: '/namespaces/:name', run: (_, { name, namespaces }) => namespaces().close(name) },
  { method: 'POST', path: '/tokens', run: (control, { body }) => control.createToken(body) },
];
