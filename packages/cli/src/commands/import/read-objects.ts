import { isMap, isScalar, isSeq, type Node } from 'yaml';
import type { InputFormat } from '../../context/importable.js';
import { readYamlValue } from '../../shared/fields/read-yaml.js';
import { isObject } from '../../text/json.js';
import { linesOfItems } from './json-lines.js';
import type { Cell, Fault, Source, SourceRow } from './source.js';

/** Something in a list, with where it and its keys stand. */
interface Item {
  readonly value: unknown;
  readonly line: number;
  readonly lineOf: (key: string) => number;
}

const base = { textual: false, formulasEscaped: false };
const broken = (line: number, message: string): Source => ({
  ...base,
  columns: [],
  rows: [],
  faults: [{ line, message }],
});

function sourceOf(items: readonly Item[]): Source {
  const columns = new Set<string>();
  const rows: SourceRow[] = [];
  const faults: Fault[] = [];
  for (const [index, { value, line, lineOf }] of items.entries()) {
    if (!isObject(value)) {
      faults.push({ line, message: 'is no object of fields, such as {"name": "Summer"}.' });
      continue;
    }
    const cells = new Map<string, Cell>();
    for (const [key, inner] of Object.entries(value)) {
      columns.add(key);
      cells.set(key, { value: inner, line: lineOf(key) });
    }
    rows.push({ row: index + 1, line, cells });
  }
  return { ...base, columns: [...columns], rows, faults };
}

const parsed = (json: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(json) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

const NO_LIST = 'is no list of objects, such as [{"name": "Summer"}].';

/** JSON that a parser refuses is read as YAML, whose parser says where the fault is, or makes sense of it. */
function readJson(text: string): Source {
  const result = parsed(text);
  if (result === undefined) return text.trimStart().startsWith('{') ? readNdjson(text) : readYamlList(text);
  if (!Array.isArray(result.value)) return broken(1, NO_LIST);
  const lines = linesOfItems(text);
  return sourceOf(
    result.value.map((value: unknown, index): Item => {
      const { line = 1, keys } = lines[index] ?? {};
      return { value, line, lineOf: (key) => keys?.get(key) ?? line };
    }),
  );
}

function readNdjson(text: string): Source {
  const items: Item[] = [];
  const faults: Fault[] = [];
  for (const [index, content] of text.split('\n').entries()) {
    const line = index + 1;
    if (content.trim() === '') continue;
    const result = parsed(content);
    if (result === undefined) faults.push({ line, message: 'is no JSON. NDJSON has one object on each line.' });
    else items.push({ value: result.value, line, lineOf: () => line });
  }
  const source = sourceOf(items);
  return { ...source, faults: [...faults, ...source.faults] };
}

function readYamlList(text: string): Source {
  const read = readYamlValue(text);
  if ('faults' in read) {
    const faults = read.faults.map(({ at, message }) => ({ line: at.line, message: `cannot be read: ${message}` }));
    return { ...base, columns: [], rows: [], faults };
  }
  const { document, positionOf, value: values } = read;
  const contents = document?.contents ?? null;
  if (contents === null) return sourceOf([]);
  if (!isSeq(contents) || !Array.isArray(values)) return broken(1, NO_LIST);
  return sourceOf(
    values.map((value: unknown, index): Item => {
      const node = contents.items[index];
      const { line } = positionOf((node as Partial<Node> | undefined)?.range?.[0]);
      const keys = new Map<string, number>();
      for (const { key } of isMap(node) ? node.items : []) {
        if (isScalar(key)) keys.set(String(key.value), positionOf(key.range?.[0]).line);
      }
      return { value, line, lineOf: (key) => keys.get(key) ?? line };
    }),
  );
}

const readers = { json: readJson, ndjson: readNdjson, yaml: readYamlList };

/** A list of objects: a JSON array, NDJSON, or a YAML list. Values have their types already. */
export const readObjects = (text: string, format: Exclude<InputFormat, 'csv' | 'tsv'>): Source => readers[format](text);
