/** A time, in milliseconds since 1970, as the API writes it (D11). */
export const timestamp = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
