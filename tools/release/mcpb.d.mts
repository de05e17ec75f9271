/** The files of the bundle, with the command line as it is built. */
export function mcpbEntries(about: {
  readonly version: string;
  readonly description: string;
  readonly homepage: string;
  readonly license: string;
  readonly author: string;
}): { readonly path: string; readonly content: Buffer | string }[];
