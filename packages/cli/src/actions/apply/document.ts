import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments, visit } from 'yaml';
import { yamlFault } from '../../fields/yaml-fault.js';
import type { Fault, Position } from './faults.js';

/** One key of an object, with what stands behind it. */
export interface Entry {
  readonly key: string;
  /** Where the key stands. */
  readonly at: Position;
  readonly value: Part;
}

/** A part of the file. Its inside is looked at when it is asked for, so that aliases can neither loop nor multiply. */
export interface Part {
  readonly at: Position;
  /** Its entries; undefined where it is no object. */
  readonly entries: () => readonly Entry[] | undefined;
  readonly items: () => readonly Part[] | undefined;
  /** Text, number, true, false or null; undefined where it is an object or a list. */
  readonly scalar: () => unknown;
}

interface Source {
  readonly document: Document;
  readonly lines: LineCounter;
}

const positionOf = (lines: LineCounter, offset: number): Position => {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
};

const nodeOf = (node: unknown): Node | null => (node ?? null) as Node | null;

function part(source: Source, node: Node | null, fallback: Position): Part {
  const { document, lines } = source;
  const at = node?.range ? positionOf(lines, node.range[0]) : fallback;
  const resolved: Node | null = isAlias(node) ? (node.resolve(document) ?? null) : node;
  return {
    at,
    entries: () => {
      if (!isMap(resolved)) return undefined;
      return resolved.items.map(({ key, value }) => {
        const keyNode = nodeOf(key);
        const keyAt = keyNode?.range ? positionOf(lines, keyNode.range[0]) : at;
        return {
          key: isScalar(keyNode) ? String(keyNode.value) : String(keyNode),
          at: keyAt,
          value: part(source, nodeOf(value), keyAt),
        };
      });
    },
    items: () => (isSeq(resolved) ? resolved.items.map((item) => part(source, nodeOf(item), at)) : undefined),
    scalar: () => (resolved === null ? null : isScalar(resolved) ? resolved.value : undefined),
  };
}

/** References (`*name`) to what is marked nowhere before them. */
function danglingAliases({ document, lines }: Source): Fault[] {
  const faults: Fault[] = [];
  visit(document, {
    Alias: (_key, alias) => {
      if (alias.resolve(document) !== undefined) return;
      const at = positionOf(lines, alias.range?.[0] ?? 0);
      faults.push({ at, message: `*${alias.source} refers to nothing: no &${alias.source} stands before it.` });
    },
  });
  return faults;
}

/** A YAML or JSON file as its one document, or what keeps it from being read. */
export function readDocument(text: string): Part | { readonly faults: readonly Fault[] } {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { schema: 'core', lineCounter: lines, prettyErrors: false });
  // A stream without documents is an empty list that carries errors of its own.
  if (!Array.isArray(documents) || documents.length === 0)
    return { faults: [{ at: { line: 1, column: 1 }, message: 'the file is empty.' }] };
  const faults = documents.flatMap(({ errors, warnings }) =>
    [...errors, ...warnings].map(({ message, pos }) => ({
      at: positionOf(lines, pos[0]),
      message: yamlFault(message),
    })),
  );
  if (faults.length > 0) return { faults };
  const [first, second] = documents;
  if (second !== undefined) {
    const start = second.range?.[0] ?? 0;
    const message = `a document begins here, and the file holds ${documents.length}: put all under one campaigns: and one collabs:.`;
    return { faults: [{ at: positionOf(lines, start), message }] };
  }
  const document = first as unknown as Document;
  const dangling = danglingAliases({ document, lines });
  if (dangling.length > 0) return { faults: dangling };
  return part({ document, lines }, document.contents as Node | null, { line: 1, column: 1 });
}
