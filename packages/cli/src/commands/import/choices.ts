/** The resources that `mkt import` creates. */
export const importable = ['campaigns', 'collabs'] as const;
export type Importable = (typeof importable)[number];

/** The formats that it reads. */
export const INPUT_FORMATS = ['csv', 'tsv', 'json', 'ndjson', 'yaml'] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];
