import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const root = join(import.meta.dirname, '../..');

/** The new text of each file in the diffs below a heading of CONTRIBUTING.md, as changes of its parts. */
function changesBelow(heading: string): ReadonlyMap<string, readonly (readonly [before: string, after: string])[]> {
  const [, section = ''] = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split(`### ${heading}\n`);
  const diffs = [...(section.split('\n### ', 1)[0] ?? '').matchAll(/^```diff\n([\s\S]*?)^```$/gm)];
  const files = diffs.flatMap(([, diff = '']) => diff.split(/^--- .*\n/m).filter(Boolean));
  return new Map(
    files.map((file) => {
      const [head = '', ...hunks] = file.split(/^@@.*\n/m);
      const parts = hunks.map((hunk) => {
        const lines = hunk.trimEnd().split('\n');
        const textOf = (sign: '-' | '+') =>
          lines
            .filter((line) => line === '' || line.startsWith(' ') || line.startsWith(sign))
            .map((line) => line.slice(1))
            .join('\n');
        return [textOf('-'), textOf('+')] as const;
      });
      return [head.replace(/^\+\+\+ b\//, '').trim(), parts];
    }),
  );
}

const schema = 'packages/server/src/store/sql/schema';

/** Adds the new SQL files, as `npm run generate` does. */
const withSchemaFiles = (code: string, changes: ReturnType<typeof changesBelow>): string =>
  code.replace(/(?<=^ {2}(\w+): \[)[\s\S]*?(?=,?\s*\],$)/gm, (files, dialect: string) => {
    const added = [...changes].flatMap(([path, [part]]) => {
      const [, name] = new RegExp(`^${schema}/(\\w+)\\.${dialect}\\.sql$`).exec(path) ?? [];
      return name === undefined ? [] : [JSON.stringify({ name, text: part?.[1] })];
    });
    return [files, ...added].join(', ');
  });

/** Adds the new lists to the operations of query helpers, as `npm run generate` does. */
const withLists = (code: string, changes: ReturnType<typeof changesBelow>): string =>
  [...changes.values()].flat().reduce((text, [, after]) => {
    const [, resource, name] = / list\(\{\s+operation: '(\w+)\.(\w+)'/.exec(after) ?? [];
    return text.replace(new RegExp(`(?<= ${resource}: \\{[^{}]*\\{)`), ` ${name}: 'list',`);
  }, code);

/** Whether someone has made the change: what it adds to existing files is there. New ones may have other numbers. */
const isMade = (changes: ReturnType<typeof changesBelow>): boolean =>
  [...changes].every(([path, parts]) =>
    parts.every(([before, after]) => before === '' || readFileSync(join(root, path), 'utf8').includes(after)),
  );

/** Reads sources as they are after worked examples of CONTRIBUTING.md. */
export function workedExample(...headings: readonly string[]): Plugin {
  const changes = new Map<string, readonly (readonly [before: string, after: string])[]>();
  const due = headings.map(changesBelow).filter((each) => !isMade(each));
  for (const [path, parts] of due.flatMap((each) => [...each]))
    changes.set(path, [...(changes.get(path) ?? []), ...parts]);
  return {
    name: 'worked-example',
    enforce: 'pre',
    transform(code, id) {
      const path = id.replace(`${root}/`, '').replace(/\?.*$/, '');
      if (path === `${schema}/files.generated.ts`) return withSchemaFiles(code, changes);
      if (path === 'packages/sdk/src/contract/operations.generated.ts') return withLists(code, changes);
      const parts = changes.get(path);
      return parts?.reduce((text, [before, after]) => {
        if (!text.includes(before)) throw new Error(`The diff in CONTRIBUTING.md does not fit ${id}:\n${before}`);
        return text.replace(before, () => after);
      }, code);
    },
  };
}
