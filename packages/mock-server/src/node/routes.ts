import { type Argument, checkedArguments, outlineOf } from '../control/arguments.js';
import { ControlError } from '../control/errors.js';
import { type ListedRoute, routeList, type ServerMethods } from '../control/routes.js';

/** The routes at a path, and the arguments in it. */
export function routesAt(path: string): readonly { readonly route: ListedRoute; readonly inPath: readonly string[] }[] {
  return routeList.flatMap((route) => {
    const match = new RegExp(`^${route.path.replace(/:\w+/, '([^/]+)')}$`).exec(path);
    return match ? [{ route, inPath: match.slice(1).map(decodeURIComponent) }] : [];
  });
}

const booleans: Readonly<Record<string, boolean>> = { true: true, false: false };

/** Texts of a query become what the schemas of their fields take. */
function inQuery(input: readonly Argument[], query: URLSearchParams): readonly object[] {
  const fields = input.map(({ schema }) => outlineOf(schema).fields);
  // The first argument gets unknown fields, which its schema rejects.
  const placeOf = (name: string): number =>
    Math.max(
      0,
      fields.findIndex((some) => Object.hasOwn(some, name)),
    );
  const valueIn = (name: string, text: string): unknown => {
    const schema = fields[placeOf(name)]?.[name];
    const type = schema && outlineOf(schema).type;
    if (type === 'number') return Number(text);
    return type === 'boolean' ? (booleans[text] ?? text) : text;
  };
  return input.map((_, index) => {
    const own = [...query].filter(([name]) => placeOf(name) === index);
    return Object.fromEntries(own.map(([name, text]) => [name, valueIn(name, text)]));
  });
}

export interface ControlCall {
  readonly route: ListedRoute;
  readonly inPath: readonly string[];
  readonly query: URLSearchParams;
  /** The JSON body; undefined if there is none. */
  readonly body: unknown;
}

/** @throws {ControlError} that names the invalid part */
function argumentsOf({ route, inPath, query, body }: ControlCall): readonly unknown[] {
  const { input, method, isList, isOff, bodyField } = route;
  if (isOff) return [false];
  if (isList && !Array.isArray(body))
    throw new ControlError("An act's arguments are sent as a JSON list, in their order.");
  const inBody = bodyField === undefined ? body : (body as Readonly<Record<string, unknown>> | null)?.[bodyField];
  const others =
    method === 'GET' ? inQuery(input.slice(inPath.length), query) : isList ? (body as unknown[]) : [inBody];
  return checkedArguments(input, [...inPath, ...others]);
}

interface Methods {
  readonly [name: string]: Methods & ((...values: readonly unknown[]) => unknown);
}

/** Calls the control method of a route with the arguments of the request. Returns the JSON of the response. @throws {ControlError} */
export async function callRoute(methods: ServerMethods, call: ControlCall): Promise<unknown> {
  const { names, resultField } = call.route;
  const owner = names
    .slice(0, -1)
    .reduce<Methods>((found, name) => found[name] as Methods, methods as unknown as Methods);
  const result = await owner[names.at(-1) ?? '']?.(...argumentsOf(call));
  return resultField === undefined ? result : { [resultField]: result };
}
