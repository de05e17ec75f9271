import { codesOnly, problemOf } from '@mkt/sdk/contract';
import type * as z from 'zod/mini';
import { fieldLabel, type Problem, sentenceOf } from '../rules/problems.js';
import { storeInMemory } from '../store/memory.js';
import { randomId } from '../store/new-row.js';
import type { Dump, Store } from '../store/store.js';
import type { IdFormat } from '../store/tables.js';
import { nearest } from './file/nearest.js';
import { type SeedOptions, SeedRows } from './file/rows.js';
import { file, type SeedCheck, type SeedFile } from './file/schema.js';
import { SeedError, type SeedProblem, SeedSource } from './file/source.js';
import { type OpaqueIds, withOpaqueIds } from './opaque.js';

export { exportSeed } from './file/export.js';
export { pathText, SeedError } from './file/source.js';

export interface ParsedSeed {
  readonly dump: Dump;
  /** The secrets of tokens that work, by `<handle>_<permission>`; the name of a second one ends in `_2`. */
  readonly tokens: Readonly<Record<string, string>>;
}

/**
 * Reads a seed file, YAML or JSON, or its content as an object. Users and organizations have handles; ids and everything else that is left out follow
 * the API's defaults:
 *
 *     users:
 *       ada:
 *         tokens: [{secret: mkt_for_my_tests}]
 *     organizations:
 *       acme:
 *         name: Acme Cosmetics
 *         members: {ada: owner}
 *         campaigns:
 *           - {name: Summer, status: active, total_budget_amount: 5000}
 *
 * The API's own rules write its content into a new store, so it cannot contain what the API would reject. Import this
 * module lazily: nothing else needs its YAML library.
 * @throws {SeedError} with the lines of all fields with problems, or else of all objects that rules reject
 */
export async function parseSeed(seed: string | object, options: SeedOptions): Promise<ParsedSeed> {
  // In YAML a lone carriage return ends a line too, which the library does not know.
  const text =
    typeof seed === 'string' ? seed.replace(/^\ufeff/, '').replaceAll(/\r(?!\n)/g, '\n') : JSON.stringify(seed);
  const source = new SeedSource(text, typeof seed !== 'string' || text.startsWith(twinStart));
  const content = checkedFile(source);
  const store = storeInMemory();
  const { tokens, nextIds, opaqueIds } = await store.transact((writer) =>
    new SeedRows(source, writer, options).write(content),
  );
  const { tables, serials } = await store.dump();
  const dump = { tables, serials: { ...serials, ...nextIds } };
  const idOf: OpaqueIds = (table, number) => opaqueIds.get(`${table} ${number}`) ?? randomId();
  return { dump: options.ids === 'opaque' ? withOpaqueIds(dump, idOf) : dump, tokens };
}

/** The rows of a seed after `change`, which gets a store with them. */
export async function changeSeed(seed: Dump, ids: IdFormat, change: (store: Store) => Promise<void>): Promise<Dump> {
  const store = storeInMemory(ids, seed);
  await change(store);
  return store.dump();
}

/** The version of twins that this program writes and reads. */
const twinVersion = 1;

/** The start of the file that `mkt twin pull` writes. */
const twinStart = '{\n  "twin": {';

/** The content of the file, whose fields are checked against the schema. @throws {SeedError} */
function checkedFile(source: SeedSource): SeedFile {
  const { value } = source;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new SeedError([source.problem([], 'A seed starts with "users:" and the users under it.')]);
  // Before all other problems, which would follow from it.
  const version = (value as { readonly twin?: { readonly version?: unknown } | null }).twin?.version;
  if (Number.isInteger(version) && Number(version) > twinVersion) {
    const message = `This twin was made by a newer version of mkt. It has version ${version}, and this mkt reads ${twinVersion}. Update mkt.`;
    throw new SeedError([source.problem(['twin', 'version'], message)]);
  }
  const { success, data, error } = file.safeParse(value, { ...codesOnly, reportInput: true });
  if (success) return data;
  throw new SeedError(error.issues.map((issue) => problemAt(source, issue)));
}

function problemAt(source: SeedSource, issue: z.core.$ZodIssue): SeedProblem {
  const path = issue.path as (string | number)[];
  const check = issue.code === 'custom' ? (issue.params as SeedCheck | undefined) : undefined;
  if (check?.code === 'unknown_key') {
    const { singular, names } = check;
    const key = String(path.at(-1));
    const near = nearest(key, names);
    const hint = near === undefined ? `It has ${names.join(', ')}.` : `Did you mean ${near}?`;
    return source.problem(path, `A ${singular} has no field ${key}. ${hint}`, 'key');
  }
  if (check?.code === 'wrong_handle')
    return source.problem(
      path,
      'A handle starts with a lowercase letter, followed by lowercase letters, digits, - or _.',
    );
  // About the object at the path, not about a field of it.
  if (issue.code === 'invalid_type' && issue.expected === 'object') return source.problem(path, issue.message);
  const place = path.findLastIndex((step) => typeof step === 'string');
  const label = fieldLabel(String(path[place]));
  const problem: Problem = issue.input === undefined ? { code: 'required' } : (check ?? problemOf(issue));
  return source.problem(path.slice(0, place + 1), sentenceOf(problem, label));
}
