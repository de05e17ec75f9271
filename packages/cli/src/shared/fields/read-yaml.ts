import { type Document, isScalar, LineCounter, type Node, parseAllDocuments, visit, type YAMLError } from 'yaml';
import { usageError } from '../../errors/cli-error.js';

/** A position in a text, counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface YamlProblem {
  readonly at: Position;
  /** A sentence. */
  readonly message: string;
}

/** A parsed YAML or JSON text. */
export interface Yaml {
  /** Undefined if the text is empty. */
  readonly document: Document<Node> | undefined;
  /** The position of an offset. */
  readonly positionOf: (offset: number | undefined) => Position;
}

/** The parser's message as a sentence for someone who wrote the file, perhaps as JSON. */
const sentence = (message: string): string =>
  message
    .replace(/^Flow \w+.* must .*end with a (.)$/, 'a $1 is missing, or a line is not indented enough')
    .replace(/^Missing closing (.*)quote$/, 'a quote ($1) is opened here but never closed')
    .replace(/^Missing , (or : )?between flow .*/, 'a comma is missing before this')
    .replace(/^(Plain value cannot start with .*)$/, '$1: put it in quotes')
    .replace(
      /^Nested mappings are not allowed in .*/,
      'text with a colon in it has to be in quotes, or a line is indented too far',
    )
    .replace(/\.?$/, '.');

/** The start of the last quoted text. For an unclosed quote, the parser reports the end of the file. */
function startOfLastQuote(document: Document<Node>): number {
  let start = 0;
  visit(document, {
    Scalar: (_key, { type, range }) => {
      if (type?.startsWith('QUOTE_') === true) start = range?.[0] ?? start;
    },
  });
  return start;
}

/** Errors of the parser, and text that it would read differently than intended. */
function problemsOf(document: Document<Node>, text: string, positionOf: Yaml['positionOf']): YamlProblem[] {
  const problemOf = ({ code, message, pos }: YAMLError): YamlProblem => {
    const unclosed = code === 'MISSING_CHAR' && message.endsWith('quote');
    const at = positionOf(unclosed ? startOfLastQuote(document) : pos[0]);
    // Within a multi-line text the parser reads a tab as a space, and reports the token after it.
    const before = text.slice(text.lastIndexOf('\n', pos[0] - 1) + 1, pos[0]);
    const tab = code === 'UNEXPECTED_TOKEN' && /^ *\t/.test(before);
    return { at, message: sentence(tab ? 'Tabs are not allowed as indentation' : message) };
  };
  const problems = [...document.errors, ...document.warnings].map(problemOf);
  visit(document, {
    Alias: (_key, alias) => {
      if (alias.resolve(document) !== undefined) return;
      const message = `the alias *${alias.source} is unknown: there is no anchor &${alias.source} before it.`;
      problems.push({ at: positionOf(alias.range?.[0]), message });
    },
    Pair: (_key, { key }) => {
      if (!isScalar(key) || key.value !== '<<') return;
      const message =
        'merge keys ("<<") are not supported, because YAML 1.2 does not have them. Copy the fields instead.';
      problems.push({ at: positionOf(key.range?.[0]), message });
    },
  });
  return problems;
}

/** Reads one document of YAML 1.2, which includes JSON, or returns all its problems. */
function readYaml(text: string): Yaml | { readonly problems: readonly YamlProblem[] } {
  const lines = new LineCounter();
  const positionOf = (offset = 0): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const options = { schema: 'core', lineCounter: lines, prettyErrors: false, logLevel: 'error' } as const;
  // Without a document, this is an empty list with errors attached.
  const documents: readonly Document<Node>[] = [...(parseAllDocuments(text, options) as Document<Node>[])];
  const problems = documents.flatMap((document) => problemsOf(document, text, positionOf));
  // Later problems of a line are mostly consequences of its first one.
  const firstOfLine = problems.filter(
    ({ at }, index) => problems.findIndex((other) => other.at.line === at.line) === index,
  );
  if (firstOfLine.length > 0) return { problems: firstOfLine };
  const [document, second] = documents;
  if (second === undefined) return { document, positionOf };
  const message = 'a second document begins here, but the file must contain only one.';
  return { problems: [{ at: positionOf(second.range?.[0]), message }] };
}

/** The same, with the plain value, which is null for an empty text. Excessive aliases are a problem. */
export function readYamlValue(
  text: string,
): (Yaml & { readonly value: unknown }) | { readonly problems: readonly YamlProblem[] } {
  const read = readYaml(text);
  if ('problems' in read) return read;
  try {
    return { ...read, value: read.document?.toJS() ?? null };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    return { problems: [{ at: { line: 1, column: 1 }, message: sentence(error.message) }] };
  }
}

/**
 * JSON or YAML; JSON is YAML too.
 * @param name the name of the text in messages
 * @throws a usage error that names the line
 */
export function parse(text: string, name: string): unknown {
  const read = readYamlValue(text);
  if ('value' in read) return read.value;
  const [{ at, message } = { at: { line: 1 }, message: '' }] = read.problems;
  throw usageError(`${name}:${at.line} cannot be read: ${message}`);
}
