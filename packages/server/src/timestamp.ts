/** A time, in milliseconds since 1970, as the API writes it. */
export const timestamp = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
