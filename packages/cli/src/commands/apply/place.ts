import { type ListPromise, NotFoundError } from '@mkt/sdk';
import { explained } from '../../api/errors/explain.js';
import type { Context, Organization } from '../../context/context.js';
import type { Operations } from '../../shared/operations.js';
import { type Walked, walkPages } from '../../shared/walk.js';
import { cellText, type Row, valueAt } from '../../text/row.js';
import type { Kind } from './kinds.js';

/** How many requests run at the same time. */
export const WIDTH = 4;

/** Where the work is done. */
export interface Place {
  readonly context: Context;
  readonly organization: Organization;
  readonly verbs: (kind: Kind) => Operations;
}

export const nameOf = (row: Row): string => cellText(valueAt(row, 'name'));

/** Every row of a noun, its brief left out (D59). */
export async function allRows({ context, organization, verbs }: Place, kind: Kind): Promise<readonly Row[]> {
  const { resource } = kind;
  const walked: Walked = { searched: 0, total: undefined, more: false };
  return context.withProgress(`Reading ${resource.plural}`, (progress) =>
    explained(context, { verb: 'list', resource, organization }, async () => {
      const rows: Row[] = [];
      const pages: ListPromise<Row> = verbs(kind).list();
      for await (const page of walkPages(pages, {}, walked, progress)) rows.push(...page);
      return rows;
    }),
  );
}

/** One by its id; undefined where there is none. */
export async function showRow(
  { context, organization, verbs }: Place,
  kind: Kind,
  id: string,
): Promise<Row | undefined> {
  const { resource } = kind;
  return explained(context, { verb: 'show', resource, id, organization }, async () => {
    try {
      return await verbs(kind).get(id);
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  });
}
