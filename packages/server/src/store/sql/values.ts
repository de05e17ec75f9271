import type { BaseType } from '../table-definition.js';
import type { Dialect } from './schema.js';

/** Types whose values differ from the driver's. `pg` converts the others itself (see `driverTypes`). */
export const converted: Readonly<Record<Dialect, readonly BaseType[]>> = {
  sqlite: ['boolean', 'strings', 'bytes'],
  postgres: ['bytes'],
};

export function decode(type: BaseType, value: unknown): unknown {
  if (type === 'boolean') return value === 1;
  if (type !== 'bytes') return JSON.parse(value as string);
  // A plain array of bytes, not a view of memory that the driver shares.
  return new Uint8Array(typeof value === 'string' ? Buffer.from(value, 'base64') : (value as Uint8Array));
}

export function encode(type: BaseType, value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  return type === 'strings' && value !== null ? JSON.stringify(value) : value;
}

/** A column in a list of those that are read. `pg` reads bytes as hex, which blocks the event loop for three times as long. */
export const selectedAs = (dialect: Dialect, column: string, type: BaseType): string =>
  dialect === 'postgres' && type === 'bytes' ? `encode(${column}, 'base64') as ${column}` : column;

/**
 * The length of the bytes of a row in PostgreSQL, and a piece of them. With a large image at once, `pg` takes three times as
 * long, and blocks the event loop for tens of milliseconds. Values: position, length.
 */
export const pieceOfBytes = "octet_length(bytes) as length, encode(substring(bytes from ? for ?), 'base64') as bytes";
