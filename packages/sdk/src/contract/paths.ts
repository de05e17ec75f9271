/** The names of the parameters in a path, in their order. */
export const parametersOf = (path: string): readonly string[] =>
  [...path.matchAll(/:([a-z_]+)/g)].map(([, name]) => name as string);

/** The path without `.json` and without the names of its parameters: one endpoint says `:id` where another says `:campaign_id`. */
export const shapeOf = (path: string): string => path.replace(/\.json$/, '').replace(/:[a-z_]+/g, ':');

/** The last part of a path: `submissions` for `/organizations/:organization_id/campaigns/:campaign_id/submissions.json`. */
export const collectionOf = (path: string): string => shapeOf(path).replace(/\/:$/, '').split('/').at(-1) ?? '';

/** The paths of the items that contain what is at a path, from the outside in: an organization, then a campaign. */
export const pathsAbove = (path: string): readonly string[] =>
  [...path.matchAll(/\/:[a-z_]+(?=\/)/g)].map(({ index, 0: { length } }) => path.slice(0, index + length));
