import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';

/** A problem in a seed file. */
export interface SeedProblem {
  /** Counts from 1, as `column` does. */
  readonly line: number;
  readonly column: number;
  /** The field, as in `organizations.acme.campaigns[0].name`; empty for the whole file. */
  readonly path: string;
  /** The same in parts. */
  readonly keys: Path;
  /** Says what to do. */
  readonly message: string;
}

/** A seed that cannot be used, with all its problems in the order of their lines. Nothing of it is loaded. */
export class SeedError extends Error {
  override readonly name = 'SeedError';
  readonly problems: readonly SeedProblem[];

  constructor(problems: readonly SeedProblem[]) {
    const sorted = [...problems].sort((left, right) => left.line - right.line || left.column - right.column);
    const lines = sorted.map(
      ({ line, column, path, message }) =>
        `  line ${line}, column ${column}: ${path === '' ? '' : `${path}: `}${message}`,
    );
    super(`The seed has ${lines.length === 1 ? 'a problem' : `${lines.length} problems`}:\n${lines.join('\n')}`);
    this.problems = sorted;
  }
}

export type Path = readonly (string | number)[];

/** `organizations.acme.campaigns[0].name` */
export const pathText = (path: Path): string =>
  path.map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${step}`)).join('');

const startOf = (node: unknown): number | undefined => (node as Node | null | undefined)?.range?.[0];

/** A seed file in YAML, or in JSON, which is YAML too: its value, and the positions of everything in it. */
export class SeedSource {
  readonly value: unknown;
  readonly #text: string;
  readonly #lines = new LineCounter();
  #parsed: ReturnType<typeof parseDocument> | undefined;

  /**
   * @param isPlainJson Whether a program wrote the text as JSON. The parser of YAML, which takes a hundred times as long, then
   * only finds the positions of problems.
   * @throws {SeedError} when the text is not YAML.
   */
  constructor(text: string, isPlainJson = false) {
    this.#text = text;
    if (isPlainJson) {
      try {
        this.value = JSON.parse(text);
        return;
      } catch (error) {
        // It was edited since: the other parser says where.
        if (!(error instanceof SyntaxError)) throw error;
      }
    }
    // Warnings are about unknown tags, which would change the meaning of a value.
    const problems = [...this.#document.errors, ...this.#document.warnings].map(({ pos: [offset], code, message }) => {
      // The library points to the end of what precedes the second key.
      const skipped = code === 'DUPLICATE_KEY' ? (/^(\s|#[^\n]*\n)*/.exec(text.slice(offset))?.[0].length ?? 0) : 0;
      return this.#problemAt(offset + skipped, [], `${message}.`);
    });
    visit(this.#document, {
      Alias: (_, alias) => {
        if (problems.length > 0 || alias.resolve(this.#document)) return;
        const message = `There is no anchor &${alias.source} before the alias *${alias.source}.`;
        problems.push(this.#problemAt(startOf(alias), [], message));
      },
    });
    if (problems.length > 0) throw new SeedError(problems);
    try {
      this.value = this.#document.toJS();
    } catch (error) {
      // Too many aliases inside aliases.
      if (!(error instanceof ReferenceError)) throw error;
      throw new SeedError([this.#problemAt(0, [], `${error.message}.`)]);
    }
  }

  get #document() {
    this.#parsed ??= parseDocument(this.#text, { lineCounter: this.#lines, prettyErrors: false });
    return this.#parsed;
  }

  /** A problem at the value of `path` or at its key; where that is missing, at the object that lacks it. */
  problem(path: Path, message: string, at: 'value' | 'key' = 'value'): SeedProblem {
    let node: unknown = this.#document.contents;
    let offset = startOf(node);
    for (const step of path) {
      if (isAlias(node)) node = node.resolve(this.#document);
      if (isSeq(node)) {
        node = node.items[Number(step)];
        offset = startOf(node) ?? offset;
      } else {
        const items = isMap(node) ? node.items : [];
        const pair = items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
        if (!pair) return this.#problemAt(offset, path, message);
        node = pair.value;
        offset = startOf(pair.key) ?? offset;
      }
    }
    // A collection starts at its first item, so its key is the better position.
    if (at === 'value' && isScalar(node) && node.value !== null) offset = startOf(node) ?? offset;
    return this.#problemAt(offset, path, message);
  }

  #problemAt(offset = 0, path: Path, message: string): SeedProblem {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1), path: pathText(path), keys: path, message };
  }
}
