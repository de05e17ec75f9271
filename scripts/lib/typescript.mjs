// What the TypeScript of the packages says in words: doc comments, and the sentences that calls are made with.
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** Paths of the TypeScript files of a folder and its subfolders. */
export const sourceFiles = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return sourceFiles(path);
      return /\.tsx?$/.test(entry.name) ? [path] : [];
    });

/** Every node of a file, in its order. */
export function nodesOf(path) {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const nodes = [];
  const visit = (node) => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return nodes;
}

/** The text of a string or a template, what is put in as an ellipsis; undefined of anything else. */
export function sentence(node) {
  if (node === undefined) return undefined;
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
  }
  return undefined;
}

/** The doc comment of a node as one line. */
const docOf = (node) =>
  ts
    .getJSDocCommentsAndTags(node)
    .map((comment) => ts.getTextOfJSDocComment(comment.comment) ?? '')
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();

/** The same for readers of the docs: without clauses and numbers of decisions. */
export const plainDocOf = (node) => docOf(node).replace(/ \((?:D\d+|api\.md)[^)]*\)/g, '');
