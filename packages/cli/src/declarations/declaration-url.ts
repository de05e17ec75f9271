/** The JSON Schema of the file that `mkt apply` reads, as it is published with a version of mkt. */
export const declarationUrl = (version: string): string =>
  `https://unpkg.com/@mkt/cli@${version}/declaration.schema.json`;
