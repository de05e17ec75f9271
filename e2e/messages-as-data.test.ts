import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

/** Names of texts that people read. */
const TEXT = /^(messages?|hints?|sentences?|details?|descriptions?|remarks?|said)$/;
/** Names of texts, and of codes, which may be compared. */
const TEXT_OR_CODE: ReadonlySet<string> = new Set(['reason']);
/** Methods that read a text, and functions of patterns that read their argument. */
const READING = /^(match|matchAll|replace|replaceAll|startsWith|endsWith|includes|indexOf|search|split)$/;
const PATTERNS = /^(test|exec)$/;
/** What keeps a text what it is. */
const SAME = /^(String|sanitize|sanitizeLine|toLowerCase|toUpperCase|trim|trimEnd|trimStart|join)$/;

/** Whether an expression is a text that people read. */
function isText(node: ts.Expression, aliases: ReadonlySet<string>): boolean {
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node))
    return isText(node.expression, aliases);
  if (ts.isBinaryExpression(node)) return isText(node.left, aliases);
  if (ts.isIdentifier(node)) return TEXT.test(node.text) || aliases.has(node.text);
  if (ts.isPropertyAccessExpression(node)) return TEXT.test(node.name.text);
  if (ts.isElementAccessExpression(node)) return isText(node.expression, aliases);
  if (!ts.isCallExpression(node)) return false;
  const called = node.expression;
  if (ts.isPropertyAccessExpression(called)) return SAME.test(called.name.text) && isText(called.expression, aliases);
  const [first] = node.arguments;
  return ts.isIdentifier(called) && SAME.test(called.text) && first !== undefined && isText(first, aliases);
}

/** The places in a source that read such a text: by a method, a pattern, or a comparison with words. */
function readings(text: string, file = 'file.tsx'): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const aliases = new Set<string>();
  const found: string[] = [];
  const canBeText = (node: ts.Expression): boolean => isText(node, aliases) || isText(node, TEXT_OR_CODE);
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer)
      if (isText(node.initializer, aliases)) aliases.add(node.name.text);
    const add = () =>
      found.push(`${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${node.getText()}`);
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name, expression } = node.expression;
      const [first] = node.arguments;
      if (READING.test(name.text) && canBeText(expression)) add();
      if (PATTERNS.test(name.text) && first !== undefined && canBeText(first)) add();
    }
    if (ts.isBinaryExpression(node) && /^[!=]==$/.test(node.operatorToken.getText())) {
      const isWords = (side: ts.Expression) =>
        ts.isTemplateExpression(side) || (ts.isStringLiteralLike(side) && side.text !== '');
      if (isWords(node.right) ? isText(node.left, aliases) : isWords(node.left) && isText(node.right, aliases)) add();
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Files that read texts of other programs, which say in words only what happened. */
const others: Readonly<Record<string, string>> = {
  'packages/sdk/src/transport/service-messages.ts': 'sentences of a service, whose wording the API does not define',
  'packages/sdk/src/transport/send.ts': 'a redirect loop, as fetch reports it in browsers',
  'packages/sdk/src/connection-failure.ts': 'a failed connection in Deno',
  'packages/server/src/store/sql/postgres-pool.ts': 'a wait for a connection that was too long, in pg',
  'packages/server/src/store/sql/postgres-primary.ts': 'a server without TLS, in pg',
  'packages/server/src/store/sql/postgres.ts': 'a wait that was too long, in pg',
  'packages/server/src/store/sql/sqlite-connection.ts': 'a missing table or column, in SQLite',
  'packages/server/src/store/sql/sqlite-driver.ts': 'a transaction that SQLite has ended',
  'packages/mock-server/src/index.ts': 'the description of a symbol of MSW',
  'packages/cli/src/config/keyring.ts': 'the keychain of the system',
  'packages/cli/src/fields/read-yaml.ts': 'the parser of YAML',
  'packages/server/src/openapi/document.ts': 'not of another program: the description of an id that is no number',
  'packages/cli/src/fields/collect.ts': 'not of another program: a prompt shows the first clause of a description',
};

it('finds texts that are read as data', () => {
  expect(
    [
      '/a/.test(error.message)',
      "const line = sanitizeLine(details.hints[0]); line.startsWith('mkt')",
      "hint.replace(/^It/, 'x')",
      'error.message.toLowerCase().includes(label)',
      "message === 'Not found.'",
      "reason.replace(many, 'This')",
      "reason === 'used'",
      "names.includes(name) && message === '' && /a/.test(name)",
    ].map((text) => readings(text).length),
  ).toEqual([1, 1, 1, 1, 1, 1, 0, 0]);
});

it('no source reads its own sentences back', () => {
  const files = ['sdk', 'server', 'mock-server', 'cli'].flatMap((name) => {
    const folder = join('packages', name, 'src');
    const all = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file));
    return all.filter((file) => /\.tsx?$/.test(file) && !file.includes('.generated.'));
  });
  const found = files.flatMap((file) => readings(readFileSync(file, 'utf8'), file).map((place) => `${file}:${place}`));
  const isKnown = (place: string) => Object.keys(others).some((file) => place.startsWith(file));
  expect(found.filter((place) => !isKnown(place))).toEqual([]);
  expect(Object.keys(others).filter((file) => !found.some((place) => place.startsWith(file)))).toEqual([]);
});
