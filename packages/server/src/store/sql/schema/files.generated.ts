// Generated from the SQL files of this folder by `npm run generate`. Do not edit.

import postgres0001 from './0001.postgres.sql?raw';
import sqlite0001 from './0001.sqlite.sql?raw';

/** A file of each dialect has this name, and its text is a template: see `0001`. */
export interface SchemaFile {
  readonly name: string;
  readonly text: string;
}

export const schemaFiles = {
  sqlite: [{ name: '0001', text: sqlite0001 }],
  postgres: [{ name: '0001', text: postgres0001 }],
} satisfies Readonly<Record<'sqlite' | 'postgres', readonly SchemaFile[]>>;
