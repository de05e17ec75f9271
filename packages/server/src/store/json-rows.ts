import { type AnyRow, definitionOf, type TableName } from './tables.js';

/** A number of arguments that every runtime accepts. Converting single bytes would be slow for images. */
const stretch = 8192;

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += stretch) text += String.fromCharCode(...bytes.subarray(at, at + stretch));
  return btoa(text);
}

export function fromBase64(base64: string): Uint8Array {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

const changed = (table: TableName, row: AnyRow, change: (value: unknown) => unknown): AnyRow => {
  const { columns: types } = definitionOf(table);
  const columns = Object.keys(types).filter((name) => types[name] === 'bytes');
  return columns.length === 0
    ? row
    : { ...row, ...Object.fromEntries(columns.map((name) => [name, change(row[name])])) };
};

/** The row for JSON, which has no bytes: they are in base64. */
export const jsonRow = (table: TableName, row: AnyRow): AnyRow =>
  changed(table, row, (bytes) => toBase64(bytes as Uint8Array));

/** The row that `jsonRow` got. */
export const rowOfJson = (table: TableName, row: AnyRow): AnyRow =>
  changed(table, row, (text) => fromBase64(text as string));
