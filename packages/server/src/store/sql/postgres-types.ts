import type pg from 'pg';

/** Numbers of types in PostgreSQL's catalogue. */
const bigint = 20;
const timestamptz = 1184;

/** The API's form of a time (D11) from PostgreSQL's, which is in the session's time zone. */
const timestamp = (text: string): string =>
  text.length === 22 && text.endsWith('+00')
    ? `${text.slice(0, 10)}T${text.slice(11, 19)}Z`
    : new Date(text).toISOString().replace(/\.\d+Z$/, 'Z');

/** No number of the API is past 2^53-1 (D19), so bigint fits a number; `pg` would give a string, and times as a Date. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = { [bigint]: Number, [timestamptz]: timestamp };

export const driverTypes = (driver: typeof pg): pg.CustomTypesConfig => ({
  getTypeParser: ((oid: number, format: 'text') =>
    parsers[oid] ?? driver.types.getTypeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'],
});
