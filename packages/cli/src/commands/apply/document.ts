import { type Document, isAlias, isMap, isScalar, isSeq, type Node } from 'yaml';
import { type Position, readYaml, type Yaml } from '../../shared/fields/read-yaml.js';
import type { Fault } from './faults.js';

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

interface Source extends Yaml {
  readonly document: Document<Node>;
}

const nodeOf = (node: unknown): Node | null => (node ?? null) as Node | null;

function part(source: Source, node: Node | null, fallback: Position): Part {
  const { document, positionOf } = source;
  const at = node?.range ? positionOf(node.range[0]) : fallback;
  const resolved: Node | null = isAlias(node) ? (node.resolve(document) ?? null) : node;
  return {
    at,
    entries: () => {
      if (!isMap(resolved)) return undefined;
      return resolved.items.map(({ key, value }) => {
        const keyNode = nodeOf(key);
        const keyAt = keyNode?.range ? positionOf(keyNode.range[0]) : at;
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

/** A YAML or JSON file as its one document, or what keeps it from being read. */
export function readDocument(text: string): Part | { readonly faults: readonly Fault[] } {
  const read = readYaml(text);
  if ('faults' in read) return read;
  if (read.document === undefined) return { faults: [{ at: read.positionOf(0), message: 'the file is empty.' }] };
  return part({ ...read, document: read.document }, read.document.contents, read.positionOf(0));
}
