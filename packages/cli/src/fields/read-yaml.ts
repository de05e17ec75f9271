import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  visit,
  type YAMLError,
} from 'yaml';

/** A position in a text, counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
  /** Instead, the item in the arguments of a call: `campaigns[0]`. */
  readonly item?: string;
}

interface YamlProblem extends Position {
  readonly message: string;
}

/** A parsed YAML or JSON text. */
export interface Yaml {
  /** Null for an empty text. */
  readonly value: unknown;
  /** The position of the value at a path, or of its key. */
  readonly positionOf: (path: readonly PropertyKey[], part?: 'key' | 'value') => Position;
  /** A number or a text as it is written, such as `012` for 12; undefined for other values. */
  readonly sourceOf: (path: readonly PropertyKey[]) => string | undefined;
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
function problemsOf(document: Document<Node>, text: string, at: (offset?: number) => Position): YamlProblem[] {
  const problemOf = ({ code, message, pos }: YAMLError): YamlProblem => {
    const unclosed = code === 'MISSING_CHAR' && message.endsWith('quote');
    // Within a multi-line text the parser reads a tab as a space, and reports the token after it.
    const before = text.slice(text.lastIndexOf('\n', pos[0] - 1) + 1, pos[0]);
    const tab = code === 'UNEXPECTED_TOKEN' && /^ *\t/.test(before);
    return {
      ...at(unclosed ? startOfLastQuote(document) : pos[0]),
      message: sentence(tab ? 'Tabs are not allowed as indentation' : message),
    };
  };
  const problems = [...document.errors, ...document.warnings].map(problemOf);
  visit(document, {
    Alias: (_key, alias) => {
      if (alias.resolve(document) !== undefined) return;
      const message = `the alias *${alias.source} is unknown: there is no anchor &${alias.source} before it.`;
      problems.push({ ...at(alias.range?.[0]), message });
    },
    Pair: (_key, { key }) => {
      if (!isScalar(key) || key.value !== '<<') return;
      const message =
        'merge keys ("<<") are not supported, because YAML 1.2 does not have them. Copy the fields instead.';
      problems.push({ ...at(key.range?.[0]), message });
    },
  });
  return problems;
}

/** The value at a path, its key, and what contains it. */
function nodesAt(document: Document<Node> | undefined, path: readonly PropertyKey[]) {
  let value: unknown = document?.contents;
  let key: unknown = value;
  let parent: unknown;
  for (const step of path) {
    parent = document && isAlias(value) ? value.resolve(document) : value;
    const pair = isMap(parent)
      ? parent.items.find((item) => String(isScalar(item.key) ? item.key.value : item.key) === step)
      : undefined;
    key = pair?.key;
    value = isSeq(parent) ? parent.items[Number(step)] : pair?.value;
  }
  return { value, key, parent };
}

/** Reads one document of YAML 1.2, which includes JSON. @param invalid makes the error that is thrown with all its problems */
export function readYaml(source: string, invalid: (problems: readonly YamlProblem[]) => Error): Yaml {
  // A lone carriage return ends a line too, which the library does not know.
  const text = source.replaceAll(/\r(?!\n)/g, '\n');
  const lines = new LineCounter();
  const at = (offset = 0): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const options = { schema: 'core', lineCounter: lines, prettyErrors: false, logLevel: 'error' } as const;
  // Without a document, this is an empty list with errors attached.
  const documents: readonly Document<Node>[] = [...(parseAllDocuments(text, options) as Document<Node>[])];
  const problems = documents.flatMap((document) => problemsOf(document, text, at));
  // Later problems of a line are mostly consequences of its first one.
  const firstOfLine = problems.filter(
    ({ line }, index) => problems.findIndex((other) => other.line === line) === index,
  );
  if (firstOfLine.length > 0) throw invalid(firstOfLine);
  const [document, second] = documents;
  if (second !== undefined) {
    const message = 'a second document begins here, but the file must contain only one.';
    throw invalid([{ ...at(second.range?.[0]), message }]);
  }
  try {
    return {
      value: document?.toJS() ?? null,
      positionOf: (path, part = 'value') => {
        const { value, key, parent } = nodesAt(document, path);
        // Empty values have no position, and lists as keys are not found.
        return at([part === 'value' ? value : key, key, parent].find(isNode)?.range?.[0]);
      },
      sourceOf: (path) => {
        const { value } = nodesAt(document, path);
        return isScalar(value) ? value.source : undefined;
      },
    };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    // Excessive aliases.
    throw invalid([{ ...at(), message: sentence(error.message) }]);
  }
}
