import { type Document, isScalar, LineCounter, type Node, parseAllDocuments, visit, type YAMLError } from 'yaml';
import { yamlFault } from './yaml-fault.js';

/** Where something stands in a text, both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface YamlFault {
  readonly at: Position;
  /** A sentence. */
  readonly message: string;
}

/** A text that is YAML, or JSON, as what it is made of. */
export interface Yaml {
  /** Undefined where the text holds nothing. */
  readonly document: Document<Node> | undefined;
  /** Where the part that begins at this offset stands. */
  readonly positionOf: (offset: number | undefined) => Position;
}

/** Where the last quoted text begins: of one that is never closed the parser names the end of the file. */
function startOfLastQuote(document: Document<Node>): number {
  let start = 0;
  visit(document, {
    Scalar: (_key, { type, range }) => {
      if (type?.startsWith('QUOTE_') === true) start = range?.[0] ?? start;
    },
  });
  return start;
}

/** What the parser has against a document, and what it would read otherwise than it is meant. */
function faultsOf(document: Document<Node>, text: string, positionOf: Yaml['positionOf']): YamlFault[] {
  const told = ({ code, message, pos }: YAMLError): YamlFault => {
    const unclosed = code === 'MISSING_CHAR' && message.endsWith('quote');
    const at = positionOf(unclosed ? startOfLastQuote(document) : pos[0]);
    // In the middle of a text that goes on the parser takes a tab for a blank, and stumbles behind it.
    const before = text.slice(text.lastIndexOf('\n', pos[0] - 1) + 1, pos[0]);
    const tab = code === 'UNEXPECTED_TOKEN' && /^ *\t/.test(before);
    return { at, message: yamlFault(tab ? 'Tabs are not allowed as indentation' : message) };
  };
  const faults = [...document.errors, ...document.warnings].map(told);
  visit(document, {
    Alias: (_key, alias) => {
      if (alias.resolve(document) !== undefined) return;
      const message = `*${alias.source} refers to nothing: no &${alias.source} stands before it.`;
      faults.push({ at: positionOf(alias.range?.[0]), message });
    },
    Pair: (_key, { key }) => {
      if (!isScalar(key) || key.value !== '<<') return;
      const message = '"<<" is no part of YAML 1.2, and is not read: write out here what it would bring.';
      faults.push({ at: positionOf(key.range?.[0]), message });
    },
  });
  return faults;
}

/** The first fault of each line: what follows on it mostly comes of that one. */
function firstOfLines(faults: readonly YamlFault[]): YamlFault[] {
  const told = new Set<number>();
  return faults.filter(({ at }) => !told.has(at.line) && told.add(at.line));
}

/** Reads YAML 1.2, of which JSON is a part, one document alone; else tells everything that is wrong with it. */
function readYaml(text: string): Yaml | { readonly faults: readonly YamlFault[] } {
  const lines = new LineCounter();
  const positionOf = (offset = 0): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const options = { schema: 'core', lineCounter: lines, prettyErrors: false, logLevel: 'error' } as const;
  // Without a document it is an empty list that carries errors of its own.
  const documents: readonly Document<Node>[] = [...(parseAllDocuments(text, options) as Document<Node>[])];
  const faults = documents.flatMap((document) => faultsOf(document, text, positionOf));
  if (faults.length > 0) return { faults: firstOfLines(faults) };
  const [document, second] = documents;
  if (second === undefined) return { document, positionOf };
  const message = `a document begins here, and the file holds ${documents.length}: one alone is read.`;
  return { faults: [{ at: positionOf(second.range?.[0]), message }] };
}

/** The same with what the text says as a plain value, null where it holds nothing; aliases must not multiply without end. */
export function readYamlValue(
  text: string,
): (Yaml & { readonly value: unknown }) | { readonly faults: readonly YamlFault[] } {
  const read = readYaml(text);
  if ('faults' in read) return read;
  try {
    return { ...read, value: read.document?.toJS() ?? null };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    return { faults: [{ at: { line: 1, column: 1 }, message: yamlFault(error.message) }] };
  }
}
