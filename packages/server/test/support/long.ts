/** Whether this is `npm run test:long`. */
export const isLong = process.env.TEST_LONG === '1';

/** The first of many similar cases; in `npm run test:long` all of them. */
export const sampleOf = <const Case>(cases: readonly Case[], size = 1): readonly Case[] =>
  isLong ? cases : cases.slice(0, size);
