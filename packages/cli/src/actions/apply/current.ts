import type { ListPromise } from '@mkt/sdk';
import { NotFoundError } from '@mkt/sdk';
import type { Context, Organization } from '../../context.js';
import { explained } from '../../errors/explain.js';
import { idOf } from '../../organization.js';
import { cellText, type Row, valueAt } from '../../output/row.js';
import type { Verbs } from '../../resources/resource.js';
import { pool } from '../pool.js';
import { type Walked, walkPages } from '../walk.js';
import type { Declaration, Declared } from './declaration.js';
import type { Fault } from './faults.js';
import { type Kind, kinds } from './kinds.js';

/** How many requests run at the same time. */
export const WIDTH = 4;

/** The verbs that every noun that can be declared has. */
export type Operations = Required<Pick<Verbs, 'list' | 'get' | 'create' | 'update' | 'actions'>>;

/** Where the work is done. */
export interface Place {
  readonly context: Context;
  readonly organization: Organization;
  readonly verbs: (kind: Kind) => Operations;
}

/** A declared object and what the service holds of it. */
export interface Match {
  readonly declared: Declared;
  /** As the service has it; undefined where there is none yet. */
  readonly row: Row | undefined;
  /** Of one that is new: one whose name differs only in case or spaces, which may be meant. */
  readonly similar: Row | undefined;
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

const loosely = (name: string): string => name.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

/** `free`: rows that no other declaration means. */
function byName(declared: Declared, rows: readonly Row[], free: readonly Row[]): Match | Fault {
  const { name = '', positions, at, kind } = declared;
  const found = rows.filter((row) => nameOf(row) === name);
  const [row] = found;
  if (found.length > 1) {
    const ids = found.map(idOf).join(', ');
    return {
      at: positions.get('name') ?? at,
      message: `${found.length} ${kind.key} are called "${name}" (ids ${ids}): add the id of the one that is meant.`,
    };
  }
  const similar = free.find((each) => loosely(nameOf(each)) === loosely(name));
  return { declared, row, similar: row === undefined ? similar : undefined };
}

/** One by its id; undefined where there is none. */
async function showRow({ context, organization, verbs }: Place, kind: Kind, id: string): Promise<Row | undefined> {
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

async function matchesOf(place: Place, kind: Kind, objects: readonly Declared[]): Promise<(Match | Fault)[]> {
  const needsNames = objects.some(({ id }) => id === undefined);
  const rows = needsNames ? await allRows(place, kind) : [];
  const ids = objects.map(({ id }) => id);
  const names = objects.map(({ name }) => name);
  const free = rows.filter((row) => !ids.includes(idOf(row)) && !names.includes(nameOf(row)));
  return pool(objects, WIDTH, async (declared) => {
    const { id, fields, positions, at } = declared;
    const match: Match | Fault =
      id === undefined
        ? byName(declared, rows, free)
        : { declared, row: rows.find((row) => idOf(row) === id), similar: undefined };
    if ('message' in match) return match;
    // Lists leave the brief out.
    const wanted = id ?? (match.row !== undefined && 'brief' in fields ? idOf(match.row) : undefined);
    if (wanted === undefined || (match.row !== undefined && !('brief' in fields))) return match;
    const row = await showRow(place, kind, wanted);
    if (row !== undefined) return { ...match, row };
    const message = `${kind.resource.noun} ${wanted} was not found in ${await place.organization.label()}.`;
    return { at: positions.get('id') ?? at, message, notFound: true };
  });
}

/** The same object under two declarations: by its id in one, by its name in the other. */
function checkShared(matches: readonly Match[]): Fault[] {
  return matches.flatMap(({ declared, row }, index) => {
    if (row === undefined) return [];
    const before = matches
      .slice(0, index)
      .find((each) => each.declared.kind === declared.kind && each.row !== undefined && idOf(each.row) === idOf(row));
    if (before === undefined) return [];
    const { noun } = declared.kind.resource;
    return [
      { at: declared.at, message: `this is ${noun} ${idOf(row)} too, which line ${before.declared.at.line} declares.` },
    ];
  });
}

/** Finds what is declared at the service: by id, else by exact name. */
export async function findAll(place: Place, { objects }: Declaration): Promise<{ matches: Match[]; faults: Fault[] }> {
  const found: (Match | Fault)[] = [];
  for (const kind of kinds) {
    const ours = objects.filter((object) => object.kind === kind);
    if (ours.length > 0) found.push(...(await matchesOf(place, kind, ours)));
  }
  const faults = found.filter((each): each is Fault => 'message' in each);
  const matches = found.filter((each): each is Match => 'declared' in each);
  return { matches, faults: [...faults, ...checkShared(matches)] };
}
