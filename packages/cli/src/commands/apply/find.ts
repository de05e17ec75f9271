import pMap from 'p-map';
import { idOf } from '../../api/organization.js';
import type { Row } from '../../text/row.js';
import type { Declaration, Declared } from './declaration.js';
import type { Fault } from './faults.js';
import { type Kind, kinds } from './kinds.js';
import { allRows, nameOf, type Place, showRow, WIDTH } from './place.js';

/** A declared object and what the service holds of it. */
export interface Match {
  readonly declared: Declared;
  /** As the service has it; undefined where there is none yet. */
  readonly row: Row | undefined;
  /** Of one that is new: one whose name differs only in case or spaces, which may be meant. */
  readonly similar: Row | undefined;
}

const loosely = (name: string): string => name.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

/** The rows of a noun as declarations look for them. */
interface Known {
  readonly byId: ReadonlyMap<string, Row>;
  readonly byName: ReadonlyMap<string, readonly Row[]>;
  /** Those that no declaration means, by a name without case. */
  readonly free: ReadonlyMap<string, Row>;
}

function knownFrom(rows: readonly Row[], objects: readonly Declared[]): Known {
  const byName = new Map<string, Row[]>();
  for (const row of rows) byName.set(nameOf(row), [...(byName.get(nameOf(row)) ?? []), row]);
  const meant = new Set(objects.flatMap(({ id, name }) => [`id ${id}`, `name ${name}`]));
  const free = rows.filter((row) => !meant.has(`id ${idOf(row)}`) && !meant.has(`name ${nameOf(row)}`));
  return {
    byId: new Map(rows.map((row) => [idOf(row), row])),
    byName,
    free: new Map(free.map((row) => [loosely(nameOf(row)), row])),
  };
}

function byName(declared: Declared, known: Known): Match | Fault {
  const { name = '', positions, at, kind } = declared;
  const found = known.byName.get(name) ?? [];
  const [row] = found;
  if (found.length > 1) {
    const ids = found.map(idOf).join(', ');
    return {
      at: positions.get('name') ?? at,
      message: `${found.length} ${kind.key} are called "${name}" (ids ${ids}): add the id of the one that is meant.`,
    };
  }
  return { declared, row, similar: row === undefined ? known.free.get(loosely(name)) : undefined };
}

async function matchOf(place: Place, declared: Declared, known: Known): Promise<Match | Fault> {
  const { id, kind, fields, positions, at } = declared;
  const match = id === undefined ? byName(declared, known) : { declared, row: known.byId.get(id), similar: undefined };
  if ('message' in match) return match;
  // Lists leave the brief out (D59).
  const complete = match.row !== undefined && !('brief' in fields);
  const wanted = id ?? (match.row === undefined ? undefined : idOf(match.row));
  if (complete || wanted === undefined) return match;
  const row = await showRow(place, kind, wanted);
  if (row !== undefined) return { ...match, row };
  const message = `${kind.resource.noun} ${wanted} was not found in ${await place.organization.label()}.`;
  return { at: positions.get('id') ?? at, message, notFound: true };
}

async function matchesOf(place: Place, kind: Kind, objects: readonly Declared[]): Promise<(Match | Fault)[]> {
  const rows = objects.some(({ id }) => id === undefined) ? await allRows(place, kind) : [];
  const known = knownFrom(rows, objects);
  return place.context.withProgress(`Comparing ${kind.key}`, async (progress) => {
    let compared = 0;
    return pMap(
      objects,
      async (declared) => {
        const match = await matchOf(place, declared, known);
        compared += 1;
        progress.update(compared, objects.length);
        return match;
      },
      { concurrency: WIDTH },
    );
  });
}

/** The same object under two declarations: by its id in one, by its name in the other. */
function checkShared(matches: readonly Match[]): Fault[] {
  const first = new Map<string, Declared>();
  return matches.flatMap(({ declared, row }) => {
    if (row === undefined) return [];
    const { noun } = declared.kind.resource;
    const what = `${noun} ${idOf(row)}`;
    const before = first.get(what);
    first.set(what, before ?? declared);
    if (before === undefined) return [];
    return [{ at: declared.at, message: `this is ${what} too, which line ${before.at.line} declares.` }];
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
