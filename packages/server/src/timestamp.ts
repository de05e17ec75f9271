/** A time, in milliseconds since 1970, as the API writes it. */
export const timestamp = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;

/** Whether a value is such a time, of a day that exists: PostgreSQL has no year 0. `Date` turns 31 February into 3 March. */
export const isTimestamp = (value: unknown): boolean =>
  typeof value === 'string' &&
  /^(?!0000).{19}(\.\d{1,6})?Z$/.test(value) &&
  new Date(value).toJSON()?.slice(0, 19) === value.slice(0, 19);
