import { connectControl } from '@mkt/mock-server/control';
import { testControls } from '@mkt/mock-server/node';
import { demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { type Server, serve } from '@mkt/server/node';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Argument, outlineOf } from '../src/control/arguments.js';
import { controlRoutes, type ListedRoute, routeList } from '../src/control/routes.js';

const token = 'the token of the control client';
let server: Server;
let sent: string[];
let methods: unknown;

beforeEach(async () => {
  server = await serve({
    store: memoryStore(),
    seed: demoSeed(),
    port: 0,
    extend: testControls({ token, seed: demoSeed }),
  });
  sent = [];
  const url = `${server.url}/__mkt/v1`;
  methods = connectControl({
    url,
    token,
    fetch(input, init) {
      sent.push(`${init?.method} ${String(input).slice(url.length).replace(/\?.*/, '')}`);
      return fetch(input, init);
    },
  });
});
afterEach(() => server.close());

/** Calls the method of a route with the client. */
async function call({ names, isOff }: ListedRoute, values: readonly unknown[]): Promise<unknown> {
  const method = names.reduce<unknown>((found, name) => (found as Record<string, unknown>)[name], methods);
  return (method as (...values: readonly unknown[]) => unknown)(...(isOff ? [false] : values));
}

const examplesOf = ({ input }: ListedRoute): readonly unknown[] => input.map(({ example }) => example);
const titled = (routes: readonly ListedRoute[]) =>
  routes.map((route) => [`${route.method} ${route.path}`, route] as const);

test.each(titled(routeList))('the client calls %s with the examples of its arguments', async (title, route) => {
  const headers = { Authorization: `Bearer ${demoTokens.ada_write}`, Accept: 'application/json' };
  await fetch(`${server.url}/organizations/5/campaigns.json`, { headers });
  await connectControl({ url: `${server.url}/__mkt/v1`, token }).faults.add({ effect: 'drop' });
  await call(route, examplesOf(route));
  expect(sent).toEqual([title.replace(':id', 'fault_1').replace(':name', 'worker-1')]);
});

type Schema = Argument['schema'];
const candidates = ['', '-1', 'no such value', null, -1.5, [], {}];
const rejected = (schema: Schema, values: readonly unknown[] = candidates): readonly unknown[] =>
  values.filter((value) => !schema.safeParse(value).success);

interface BadInput {
  readonly value: unknown;
  /** What the message names. */
  readonly part: string;
}

/** Values that an argument rejects: some for itself, one for each field that does not take everything, one with another field. */
function badInputs({ method, path, input }: ListedRoute, index: number): BadInput[] {
  const { name, schema, example } = input[index] as ListedRoute['input'][number];
  const fields = Object.entries(outlineOf(schema).fields) as [string, Schema][];
  const isInPath = index === 0 && path.includes(':');
  const isText = isInPath || method === 'GET';
  const itself = isText && !isInPath ? [] : rejected(schema).filter((value) => !isText || typeof value === 'string');
  const others = { ...(example as object), no_such_field: '' };
  return [
    ...itself.slice(-1).map((value) => ({ value, part: name })),
    ...fields.flatMap(([field, of]) => {
      const isNumber = outlineOf(of).type === 'number';
      const texts = candidates.filter((value) => typeof value === 'string');
      const values = isText
        ? texts.filter((text) => rejected(of, [isNumber ? Number(text) : text]).length > 0)
        : rejected(of);
      return values
        .slice(0, 1)
        .map((value) => ({ value: { ...(example as object), [field]: value }, part: `${name}.${field}` }));
    }),
    ...(fields.length > 0 && !(isText && index > 0) && rejected(schema, [others]).length > 0
      ? [{ value: others, part: name }]
      : []),
  ];
}

const withInput = routeList.filter(({ input, isOff }) => input.length > 0 && !isOff);

test.each(titled(withInput))('%s rejects bad input and names it', async (_, route) => {
  const before = await call(routeNamed('snapshot'), []);
  for (const index of route.input.keys()) {
    const inputs = badInputs(route, index);
    expect(inputs).not.toEqual([]);
    for (const { value, part } of inputs) {
      const error: unknown = await call(route, examplesOf(route).with(index, value)).catch((reason: unknown) => reason);
      // Without the text in it, a path is another one.
      const status = value === '' ? 404 : 422;
      expect([value, error]).toEqual([value, expect.objectContaining({ name: 'RemoteControlError', status })]);
      if (value !== '') expect((error as Error).message).toContain(part);
    }
  }
  expect(await call(routeNamed('snapshot'), [])).toEqual(before);
});

const routeNamed = (name: string) => routeList.find(({ names }) => names.join('.') === name) as ListedRoute;

const bodies = [
  '{',
  'null',
  '[]',
  '[null, null]',
  '{"a": 1}',
  '"text"',
  '-1',
  `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
];
const withBody = routeList.filter(({ method }) => method !== 'GET');

test.each(titled(withBody))('%s responds to any body with JSON, and never fails', async (_, { method, path }) => {
  for (const body of bodies) {
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch(`${server.url}/__mkt/v1${path}`, { method, headers, body });
    const isOk = (status: number): boolean => (body === '{' ? status === 400 : status < 500);
    expect([body.slice(0, 20), response.status]).toEqual([body.slice(0, 20), expect.toSatisfy(isOk)]);
    if (!response.ok) expect(await response.json()).toEqual({ error: expect.not.stringMatching(/\n +at /) });
  }
});

test('a control method without a route, and a route without a description or an argument, do not compile', () => {
  const { clock, reset, ...others } = controlRoutes;
  // @ts-expect-error a method has no route
  const withoutRoute: typeof controlRoutes = { clock, ...others };
  // @ts-expect-error its route has no description
  const withoutText: typeof controlRoutes.reset = { request: reset.request, input: [] };
  // @ts-expect-error its argument has no schema
  const withoutArgument: typeof clock.set = { ...reset };
  expect([withoutRoute.reset, withoutText.about, withoutArgument.input]).toEqual([undefined, undefined, []]);
});
