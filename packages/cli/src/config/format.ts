/** The output formats. */
export const FORMATS = ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml'] as const;
export type Format = (typeof FORMATS)[number];
