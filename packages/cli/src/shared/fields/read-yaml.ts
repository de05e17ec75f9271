import { type Document, isScalar, LineCounter, type Node, parseAllDocuments, visit, type YAMLError } from 'yaml';
import { usageError } from '../../errors/cli-error.js';

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

/** The parser's message as a sentence for someone who wrote the file, perhaps as JSON. */
const sentence = (message: string): string =>
  message
    .replace(/^Flow \w+.* must .*end with a (.)$/, 'a $1 is missing, or a line is not indented enough')
    .replace(/^Missing closing (.*)quote$/, 'a quote ($1) is opened here and never closed')
    .replace(/^Missing , (or : )?between flow .*/, 'a comma is missing before this')
    .replace(/^(Plain value cannot start with .*)$/, '$1: put it in quotes')
    .replace(
      /^Nested mappings are not allowed in .*/,
      'text with a colon in it has to be in quotes, or a line is indented too far',
    )
    .replace(/\.?$/, '.');

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
  const faultOf = ({ code, message, pos }: YAMLError): YamlFault => {
    const unclosed = code === 'MISSING_CHAR' && message.endsWith('quote');
    const at = positionOf(unclosed ? startOfLastQuote(document) : pos[0]);
    // In the middle of a text that goes on the parser takes a tab for a blank, and stumbles behind it.
    const before = text.slice(text.lastIndexOf('\n', pos[0] - 1) + 1, pos[0]);
    const tab = code === 'UNEXPECTED_TOKEN' && /^ *\t/.test(before);
    return { at, message: sentence(tab ? 'Tabs are not allowed as indentation' : message) };
  };
  const faults = [...document.errors, ...document.warnings].map(faultOf);
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
  // What follows on a line mostly comes of its first fault.
  const firsts = faults.filter(({ at }, index) => faults.findIndex((other) => other.at.line === at.line) === index);
  if (firsts.length > 0) return { faults: firsts };
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
    return { faults: [{ at: { line: 1, column: 1 }, message: sentence(error.message) }] };
  }
}

/**
 * JSON or YAML; JSON is YAML too.
 * @param name what sentences call the text
 * @throws a usage error that names the line
 */
export function parse(text: string, name: string): unknown {
  const read = readYamlValue(text);
  if ('value' in read) return read.value;
  const [{ at, message } = { at: { line: 1 }, message: '' }] = read.faults;
  throw usageError(`${name}:${at.line} cannot be read: ${message}`);
}
