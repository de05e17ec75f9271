import type { Schema } from '@mkt/sdk/contract';
import { isObject } from '../../../config/json-file.js';
import { sanitizeLine } from '../../../text/sanitize.js';
import type { Departure } from './findings.js';
import { formDepartures } from './forms.js';

type Path = readonly PropertyKey[];

interface Definition {
  readonly type: string;
  readonly innerType?: Inner;
  readonly element?: Inner;
  readonly shape?: Readonly<Record<string, Inner>>;
}
/** What a schema is made of. */
interface Inner {
  readonly _zod: { readonly def: Definition };
}

interface Issue {
  readonly code?: string;
  readonly path: Path;
  readonly message: string;
  readonly expected?: unknown;
  readonly values?: readonly unknown[];
  readonly errors?: readonly (readonly Issue[])[];
}

function typeOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

const spelled = (path: Path): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '') || '(whole)';

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((held, key) => (held as Record<PropertyKey, unknown> | undefined)?.[key], value);

/** What the schema wants, in the words of JSON. */
function expectedOf({ code, expected, values = [], errors = [], message }: Issue): string {
  if (code === 'invalid_type') return expected === 'int' ? 'integer' : String(expected);
  if (code === 'invalid_value') return values.map(String).join(' or ');
  if (code === 'invalid_union') return [...new Set(errors.flat().map(expectedOf))].join(' or ');
  return message;
}

function departureOf(issue: Issue, whole: unknown): Departure {
  const value = valueAt(whole, issue.path);
  const where = spelled(issue.path);
  const expected = expectedOf(issue);
  if (value === undefined) return { kind: 'missing field', where, expected, got: 'nothing' };
  // Of values only the names outside a known set are told: answers may hold secrets.
  if (issue.code === 'invalid_value' && typeof value === 'string')
    return { kind: 'unknown value', where, expected, got: sanitizeLine(value).slice(0, 40) };
  return { kind: 'wrong type', where, expected, got: typeOf(value) };
}

/** Fields that the schema does not name, wherever it looks into objects. */
function unknownFields({ _zod: { def } }: Inner, value: unknown, path: Path): Departure[] {
  if (def.innerType !== undefined) return unknownFields(def.innerType, value, path);
  const { element, shape } = def;
  if (element !== undefined && Array.isArray(value))
    return value.flatMap((item, index) => unknownFields(element, item, [...path, index]));
  if (shape === undefined || !isObject(value)) return [];
  return Object.entries(value).flatMap(([name, held]) => {
    const known = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (known !== undefined) return unknownFields(known, held, [...path, name]);
    const where = sanitizeLine(spelled([...path, name])).slice(0, 60);
    return [{ kind: 'unknown field', where, expected: 'no such field', got: typeOf(held) } as const];
  });
}

/** Where a representation departs from its schema, strictly: unknown fields and values count too. */
export function compare(schema: Schema, value: unknown): Departure[] {
  const { error } = schema.safeParse(value);
  const issues = (error?.issues ?? []) as readonly Issue[];
  const departures = issues.map((issue) => departureOf(issue, value));
  if (!isObject(value)) return departures;
  return [...departures, ...unknownFields(schema as unknown as Inner, value, []), ...formDepartures(value)];
}
