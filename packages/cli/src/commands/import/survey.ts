import { idOf } from '../../api/organization.js';
import type { Context } from '../../context/context.js';
import type { Operations } from '../../shared/operations.js';
import { type Walked, walkPages } from '../../shared/walk.js';
import { cellText, type Row, valueAt } from '../../text/row.js';
import type { CheckedRow } from './check.js';

/** Names that people and services take for the same: white space and the form of accents make no difference. */
export const nameKey = (name: string): string => name.normalize('NFC').replaceAll(/\s+/g, ' ').trim();

/** What the organization holds of the names in the file; of everything where a row has no name. */
export interface Survey {
  readonly things: readonly Row[];
}

/** Reads all pages, and keeps what can be one of these rows. */
export async function survey(
  context: Context,
  plural: string,
  verbs: Operations,
  rows: readonly CheckedRow[],
): Promise<Survey> {
  const names = new Set(rows.map(({ name }) => (name === undefined ? undefined : nameKey(name))));
  const test = (thing: Row): boolean => names.has(undefined) || names.has(nameKey(cellText(valueAt(thing, 'name'))));
  const list = verbs.list();
  const walked: Walked = { searched: 0, total: undefined, more: false };
  const things: Row[] = [];
  await context.withProgress(`Reading ${plural}`, async (progress) => {
    for await (const page of walkPages(list, { test }, walked, progress)) things.push(...page);
  });
  return { things };
}

export const idsOf = ({ things }: Survey): string[] => things.map(idOf);
