import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument, visit } from 'yaml';
import { SeedError, type SeedFault } from '../seed-error.js';

export type Path = readonly (string | number)[];

/** `organizations.acme.campaigns[0].name` */
export const pathText = (path: Path): string =>
  path.map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${step}`)).join('');

const startOf = (node: unknown): number | null => (node as { range?: readonly number[] } | null)?.range?.[0] ?? null;

/** The text of a seed, YAML or JSON (which is YAML), as a value whose places are known. */
export class Source {
  readonly value: unknown;
  readonly #document: ReturnType<typeof parseDocument>;
  readonly #lines = new LineCounter();

  /** @throws {SeedError} when the text is no YAML. */
  constructor(text: string) {
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
    // A warning is a tag that means nothing here: what it stands before would be read as something else.
    const problems = [...this.#document.errors, ...this.#document.warnings];
    if (problems.length > 0) {
      throw new SeedError(
        problems.map(({ pos: [offset], code, message }) => {
          // The library points to the end of what stands before the second key.
          const skipped = code === 'DUPLICATE_KEY' ? (/^(\s|#.*\n)*/.exec(text.slice(offset))?.[0].length ?? 0) : 0;
          return this.#fault(offset + skipped, [], `${message}.`);
        }),
      );
    }
    this.value = this.#plainValue();
  }

  /** A fault at the value that `path` names, at its key, or, where it is missing, at what lacks it. */
  fault(path: Path, message: string, at: 'value' | 'key' = 'value'): SeedFault {
    return this.#fault(this.#offsetOf(path, at), path, message);
  }

  #fault(offset: number, path: Path, message: string): SeedFault {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1), path: pathText(path), message };
  }

  #plainValue(): unknown {
    visit(this.#document, {
      Alias: (_, alias) => {
        if (alias.resolve(this.#document)) return;
        const message = `Nothing before this is marked with &${alias.source}, so *${alias.source} means nothing.`;
        throw new SeedError([this.#fault(startOf(alias) ?? 0, [], message)]);
      },
    });
    try {
      return this.#document.toJS();
    } catch (error) {
      // Aliases that multiply without end.
      if (!(error instanceof ReferenceError)) throw error;
      throw new SeedError([this.#fault(0, [], `${error.message}.`)]);
    }
  }

  /** A collection is shown by its key: its first line is that of something inside. */
  #offsetOf(path: Path, at: 'value' | 'key'): number {
    let node: Node | null | undefined = this.#document.contents;
    let offset = startOf(node) ?? 0;
    for (const step of path) {
      if (isAlias(node)) node = node.resolve(this.#document);
      if (isMap<Node, Node | null>(node)) {
        const pair: Pair<Node, Node | null> | undefined = node.items.find(
          ({ key }) => isScalar(key) && String(key.value) === String(step),
        );
        if (!pair) return offset;
        node = pair.value;
        offset = startOf(pair.key) ?? offset;
      } else if (isSeq<Node>(node) && node.items[Number(step)]) {
        node = node.items[Number(step)];
        offset = startOf(node) ?? offset;
      } else return offset;
    }
    return at === 'value' && isScalar(node) && node.value !== null ? (startOf(node) ?? offset) : offset;
  }
}
