import type { Endpoint } from './endpoint.js';
import { examples, type PathIds, type ResourceExamples } from './examples.js';
import { collectionOf, parametersOf, pathsAbove, shapeOf } from './paths.js';
import { type ResourceName, singularOf } from './resources.js';
import { contract, endpoints } from './table.js';

/** The resources by the shape of their items' paths: `campaigns` for `/organizations/:/campaigns/:`. */
const resourcesByShape: ReadonlyMap<string, ResourceName> = new Map(
  Object.entries(contract).flatMap(([name, operations]) => {
    const shapes = (Object.values(operations) as Endpoint[])
      .map(({ path }) => shapeOf(path))
      .filter((shape) => shape.endsWith('/:'))
      .sort((left, right) => left.length - right.length);
    return shapes.slice(0, 1).map((shape) => [shape, name as ResourceName] as const);
  }),
);

/** The resource whose items have this path; null if none has. */
export const resourceAt = (path: string): ResourceName | null => resourcesByShape.get(shapeOf(path)) ?? null;

/** A list below an item: the submissions of a campaign, the campaigns of an organization. */
export interface NestedList {
  readonly endpoint: Endpoint;
  /** The last part of its path. */
  readonly name: string;
  /** Its items in a sentence: `submission`, `submissions`. */
  readonly singular: string;
  readonly plural: string;
  /** The resource of its items; null if they are only in this list. */
  readonly resource: ResourceName | null;
  /** The resource of the item that the list belongs to. */
  readonly parent: ResourceName;
  /** The path of that item, with the parameters of the list's path. */
  readonly parentPath: string;
}

/** The place of a list below an item; null unless the endpoint is a list that belongs to an item. */
export function nestedListOf(endpoint: Endpoint): NestedList | null {
  const parentPath = pathsAbove(endpoint.path).at(-1);
  const parent = parentPath === undefined ? null : resourceAt(parentPath);
  const name = collectionOf(endpoint.path);
  if (!endpoint.paginated || parentPath === undefined || parent === null) return null;
  if (shapeOf(endpoint.path) !== `${shapeOf(parentPath)}/${name}`) return null;
  const plural = name.replaceAll('_', ' ');
  return {
    endpoint,
    name,
    singular: singularOf(plural),
    plural,
    resource: resourceAt(`${endpoint.path}/:id`.replace('.json', '')),
    parent,
    parentPath,
  };
}

/** The lists below the items of a resource. */
export const nestedListsOf = (parent: ResourceName, all: readonly Endpoint[] = endpoints): readonly NestedList[] =>
  all.flatMap((endpoint) => nestedListOf(endpoint) ?? []).filter((list) => list.parent === parent);

/** The path parameters of an endpoint's example request. The id of an item in its path is that of the item's resource. */
export function exampleIdsOf({ operation, path }: Endpoint): PathIds {
  const [resource, name = ''] = operation.split('.') as [ResourceName, string?];
  const all: Readonly<Record<string, ResourceExamples>> = examples;
  const ids = { ...all[resource]?.ids, ...all[resource]?.requests[name]?.ids };
  const found = [...pathsAbove(path), path].flatMap((above) => {
    const parameter = parametersOf(above).at(-1);
    const id = parameter && (ids[parameter] ?? all[resourceAt(above) ?? '']?.ids.id);
    return id === undefined || id === '' ? [] : [[parameter, id] as const];
  });
  return Object.fromEntries(found);
}
