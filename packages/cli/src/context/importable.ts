/** What can be imported: the nouns of which a brand has many. */
export const importable = ['campaigns', 'collabs'] as const;

/** What rows are read from. */
export const INPUT_FORMATS = ['csv', 'tsv', 'json', 'ndjson', 'yaml'] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];
