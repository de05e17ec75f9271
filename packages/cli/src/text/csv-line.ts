import { stringify } from 'csv-stringify/sync';

/** A line of CSV. The library is loaded with this file: in the split bundle, a chunk of its own would slow down all commands. */
export const csvLine = (cells: readonly string[], delimiter = ','): string =>
  stringify([[...cells]], { delimiter, quoted_match: '\r' });
