// No secret is compared with `===`, whose duration reveals how much of a guess is right. Secrets are looked up by digest through a
// unique index, or compared in constant time. Names tell what is a secret: a value called token, digest, csrf, signature, ...
import { readdirSync } from 'node:fs';
import ts from 'typescript';
import { nodesOf, sourceFiles } from '../lib/typescript.mjs';

/** The last word of the name of a value: `csrfToken`, `session_secret`, `token`; not `token_host`, not `tokenCount`. */
const secretName = /(^|_|[a-z](?=[A-Z]))(token|secret|digest|csrf|signature|password|credential|cookie|hmac|proof)s?$/i;
/** What makes one: `sha256(given)`. */
const secretMaker = /^(sha256|sha512|hmac|sign|digest|hash|csrfFor|proof|nameOfToken)$/i;

/** Comparisons that do not compare a guess with a secret. Each is `file: text`, with its reason. */
const allowed = new Map([
  [
    'packages/sdk/src/transport/transport.ts: this.#hashed?.token !== token',
    "the caller's own token with the one it used before, in the caller's process: there is no guess",
  ],
]);

const { SyntaxKind } = ts;
const comparisons = new Set([
  SyntaxKind.EqualsEqualsEqualsToken,
  SyntaxKind.ExclamationEqualsEqualsToken,
  SyntaxKind.EqualsEqualsToken,
  SyntaxKind.ExclamationEqualsToken,
]);
/** Methods that compare text from the left, or two values. */
const comparingMethods = new Set(['startsWith', 'endsWith', 'localeCompare', 'is']);

/** Name of a value or of the function that gives it. */
function nameOf(node) {
  if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) return node.text.replace(/^#/, '');
  if (ts.isPropertyAccessExpression(node)) return nameOf(node.name);
  if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression))
    return node.argumentExpression.text;
  if (
    ts.isNonNullExpression(node) ||
    ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isAwaitExpression(node)
  )
    return nameOf(node.expression);
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.QuestionQuestionToken)
    return nameOf(node.left);
  return '';
}

const isSecret = (node) =>
  ts.isCallExpression(node) ? secretMaker.test(nameOf(node.expression)) : secretName.test(nameOf(node));

/** Null, undefined, a literal, the name of a type: nothing that is guessed. */
const isPlain = (node) =>
  ts.isLiteralExpression(node) ||
  ts.isTypeOfExpression(node) ||
  node.kind === SyntaxKind.NullKeyword ||
  node.kind === SyntaxKind.TrueKeyword ||
  node.kind === SyntaxKind.FalseKeyword ||
  (ts.isIdentifier(node) && node.text === 'undefined');

/** The two sides of a comparison, if the node is one. */
function sidesOf(node) {
  if (ts.isBinaryExpression(node) && comparisons.has(node.operatorToken.kind)) return [node.left, node.right];
  if (
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    comparingMethods.has(node.expression.name.text)
  ) {
    const [first, second] = node.arguments;
    return second === undefined ? [node.expression.expression, first] : [first, second];
  }
  return undefined;
}

const found = [];
const used = new Set();
for (const path of readdirSync('packages').flatMap((name) => sourceFiles(`packages/${name}/src`))) {
  for (const node of nodesOf(path)) {
    const sides = sidesOf(node);
    if (!sides?.every((side) => side && !isPlain(side)) || !sides.some(isSecret)) continue;
    const text = node.getText();
    const key = `${path}: ${text}`;
    used.add(key);
    const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart());
    if (!allowed.has(key)) found.push(`${path}:${line + 1}: ${text}`);
  }
}

if (found.length > 0) {
  process.stderr.write(
    `A secret is compared with ===. Look it up by its digest, or compare in constant time (sameText):\n${found.join('\n')}\n`,
  );
  process.exitCode = 1;
}
const stale = [...allowed.keys()].filter((key) => !used.has(key));
if (stale.length > 0) {
  process.stderr.write(`Allowed in scripts/checks/secrets.mjs, but no longer there:\n${stale.join('\n')}\n`);
  process.exitCode = 1;
}
