// docs/reference/errors.md: the error messages of the API, from the source of the server; the errors of the SDK, from its
// classes; the codes of the command line's JSON errors, from where they are made.
import ts from 'typescript';
import { fromSource } from '../lib/from-source.mjs';
import { cell, fence, table } from '../lib/markdown.mjs';
import { nodesOf, plainDocOf, sentence, sourceFiles } from '../lib/typescript.mjs';

export const output = 'docs/reference/errors.md';

/** The status of each function that makes an error, and which of its arguments is the message. */
const makers = {
  badRequest: [400, 0],
  unauthorized: [401, 0],
  forbidden: [403, 0],
  notFound: [404, 0],
  unprocessable: [422, 0],
  invalid: [422, 1],
  refused: [303, 0],
};

const statuses = {
  400: 'The request is malformed.',
  401: 'The token is missing, unknown or revoked, or a read-only token is used for a change. Always with the header `WWW-Authenticate: Token realm="Application"`.',
  403: 'The token is valid and the resource is visible, but the role does not permit this.',
  404: 'The resource does not exist, or is not visible to this token. An organization and everything in it is 404 to users who are not members; drafts are 404 to members.',
  405: 'The path exists, but not with this method. The header `Allow` lists the methods.',
  412: 'The resource is not in the state that `If-Match` or `If-Unmodified-Since` requires. Nothing was changed. Read it again, then decide.',
  413: 'The body is too large: JSON up to 1 MiB, multipart up to 10 MiB.',
  415: 'The content type of the body is not supported here, or the body is compressed.',
  422: 'A field is invalid, or a guard rejects the change. Guards that belong to no field are under `base`.',
  429: 'Too many requests. `Retry-After` contains the seconds to wait. There is no limit by default.',
  500: 'The server failed.',
  503: 'The data is not available at the moment. `Retry-After` says when to try again. The server recovers by itself, also from a full disk.',
};

/** Sentences by status. */
function sentences() {
  const found = new Map();
  const add = (status, text) => {
    if (text === undefined || !/[a-z]+ [a-z]+/i.test(text)) return;
    found.set(status, [...new Set([...(found.get(status) ?? []), text])]);
  };
  for (const path of [...sourceFiles('packages/server/src/rules'), ...sourceFiles('packages/server/src/http')]) {
    for (const node of nodesOf(path)) {
      if (ts.isCallExpression(node)) {
        const name = node.expression.getText();
        if (makers[name]) add(makers[name][0], sentence(node.arguments[makers[name][1]]));
      }
      if (ts.isNewExpression(node)) {
        const [first, second] = node.arguments ?? [];
        if (node.expression.getText() === 'HttpError') add(Number(first.getText()), sentence(second));
      }
      // Rejections by role, and the messages that replace internal errors.
      if (ts.isVariableDeclaration(node) && node.name.getText() === 'refusals') {
        for (const property of node.initializer.properties) add(403, sentence(property.initializer));
      }
      if (path.endsWith('/problems.ts') && ts.isVariableDeclaration(node) && node.name.getText() === 'message') {
        const isStore = node.parent.parent.parent.getText().includes('503');
        add(isStore && node.initializer.getText().includes('store') ? 503 : 500, sentence(node.initializer));
      }
    }
  }
  return found;
}

/** The SDK's classes in the order of their file: name, comment, parent, properties. */
function classes() {
  return nodesOf('packages/sdk/src/errors.ts')
    .filter((node) => ts.isClassDeclaration(node))
    .map((node) => ({
      name: node.name.text,
      doc: plainDocOf(node),
      parent: node.heritageClauses?.[0]?.types[0].expression.getText(),
      properties: node.members
        .filter((member) => ts.isPropertyDeclaration(member))
        .filter(({ modifiers }) => !modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword))
        .map((member) => member.name.getText()),
    }));
}

const property = (object, name) =>
  object.properties.find((each) => ts.isPropertyAssignment(each) && each.name.getText() === name)?.initializer;

/** `exitCode` of an object, or of an object that is spread into it in the same function: `{ ...base, code: 'rejected' }`. */
function exitOf(object) {
  const own = property(object, 'exitCode');
  if (own) return own;
  const spread = object.properties.find((each) => ts.isSpreadAssignment(each))?.expression.getText();
  if (!spread) return undefined;
  for (let block = object.parent; block; block = block.parent) {
    const declared = (ts.isBlock(block) ? block.statements : [])
      .filter((statement) => ts.isVariableStatement(statement))
      .flatMap(({ declarationList }) => declarationList.declarations)
      .find(({ name }) => name.getText() === spread)?.initializer;
    if (declared && ts.isObjectLiteralExpression(declared)) return property(declared, 'exitCode');
  }
  return undefined;
}

const bare = (node) => (node && ts.isParenthesizedExpression(node) ? bare(node.expression) : node);

/** The possible values of an expression. */
const results = (node) => {
  const one = bare(node);
  if (ts.isConditionalExpression(one)) return [...results(one.whenTrue), ...results(one.whenFalse)];
  return ts.isBinaryExpression(one) ? [...results(one.left), ...results(one.right)] : [one];
};

/** Error codes with their exit codes, branch by branch if both depend on the same condition: `stopped ? 'interrupted' : 'partly_done'`. */
function pairs(code, exit) {
  const [one, other] = [bare(code), bare(exit)];
  if (ts.isConditionalExpression(one) && other && ts.isConditionalExpression(other)) {
    return [...pairs(one.whenTrue, other.whenTrue), ...pairs(one.whenFalse, other.whenFalse)];
  }
  if (ts.isConditionalExpression(one)) return [...pairs(one.whenTrue, other), ...pairs(one.whenFalse, other)];
  if (ts.isBinaryExpression(one)) return pairs(one.right, other);
  const word = sentence(one);
  if (word === undefined || !other) return [];
  return results(other).flatMap((each) => {
    const [, key] = /^exitCodes\.(\w+)$/.exec(each.getText()) ?? [];
    return key ? [[word, key]] : [];
  });
}

/** Codes of the command line's JSON errors, with their exit codes. */
function words(exitCodes) {
  const found = new Map();
  for (const path of sourceFiles('packages/cli/src')) {
    for (const node of nodesOf(path)) {
      if (!ts.isObjectLiteralExpression(node)) continue;
      const code = property(node, 'code');
      for (const [word, key] of code ? pairs(code, exitOf(node)) : []) {
        const codes = [...(found.get(word) ?? []), exitCodes[key]];
        found.set(
          word,
          [...new Set(codes)].sort((one, other) => one - other),
        );
      }
    }
  }
  return [...found].sort(([one], [other]) => (one < other ? -1 : 1));
}

export async function generate() {
  const messages = sentences();
  const missing = Object.keys(statuses).filter((status) => !messages.has(Number(status)));
  if (missing.length > 0) throw new Error(`No message of the server has status ${missing.join(', ')}.`);
  const sdk = classes();
  const classOf = (status) =>
    sdk.find(({ doc }) => doc.startsWith(`${status}:`))?.name ?? (status >= '500' ? 'ServerError' : 'HttpError');
  const { exitCodes } = await fromSource('packages/cli/src/errors/exit-codes.ts');

  const lines = [
    '<!-- Generated from the source by `npm run generate`. Do not edit. -->',
    '',
    '# Errors',
    '',
    'Error responses of the API, errors of the SDK, and errors that `mkt` prints as JSON.',
    '',
    '## Error responses of the API',
    '',
    'A rejected request has changed nothing. Its body has one of two shapes. `422` lists messages by field; `base` has those that belong to no',
    'field:',
    '',
    ...fence('json', [JSON.stringify({ errors: { cpm_amount: ['Cpm amount must be 0 or more.'] } }, null, 2)]),
    'All other statuses have one sentence:',
    '',
    ...fence('json', [
      JSON.stringify(
        { error: 'Organization 4711 was not found. Check the id, and that you are a member of it.' },
        null,
        2,
      ),
    ]),
    'Each response has an `X-Request-Id`: include it when you report a problem. Checks run in a fixed order: route, rate limit, token, write',
    'permission, organization, resource, role, preconditions, body, fields, guards. So responses do not reveal what exists.',
    '',
    '## By status',
    '',
    'The messages are those of the reference server; `…` is a name or a number. Programs should use the status and the field.',
    '',
    ...Object.entries(statuses).flatMap(([status, about]) => [
      `### ${status}`,
      '',
      `${about} In the SDK: \`${classOf(status)}\`.`,
      '',
      ...messages.get(Number(status)).map((text) => `- ${cell(text)}`),
      '',
      ...(status === '422' ? ['[Endpoints](endpoints.md) describes the values of each field.', ''] : []),
    ]),
    '### A rejected action',
    '',
    'Publish, pause, resume, submit and unpause are web actions: they redirect with `303` even if the state does not allow the action. The page',
    'after the redirect shows the reason. The SDK reads the resource afterwards and throws a `TransitionError`; `mkt` exits with 6.',
    '',
    ...messages.get(303).map((text) => `- ${cell(text)}`),
    '',
    '## What the SDK throws',
    '',
    'Every class extends `MarketplaceError`. `instanceof` works even if two copies of the package are loaded.',
    '',
    ...table(
      ['Class', 'Extends', 'When', 'Properties'],
      sdk.map(({ name, parent, doc, properties }) => [
        `\`${name}\``,
        parent === 'Error' ? '`Error`' : `\`${parent}\``,
        cell(doc),
        properties.map((each) => `\`${each}\``).join(' '),
      ]),
    ),
    '## What mkt prints for programs',
    '',
    'With `--json` or `--format ndjson` an error is one line of JSON on stderr:',
    '',
    ...fence('json', [
      JSON.stringify({
        error: {
          code: 'not_found',
          message: 'Campaign 4711 was not found in Acme Cosmetics (organization 5).',
          status: 404,
          request_id: 'Zk3vQ8-1c',
          exitCode: 3,
          fields: {},
          try: ['mkt campaigns list --org 5'],
        },
      }),
    ]),
    'If a command took several ids, `results` has the result of each. `code` is one of these, with its [exit code](exit-codes.md):',
    '',
    ...table(
      ['Code', 'Exit code'],
      words(exitCodes).map(([word, codes]) => [`\`${word}\``, codes.join(' or ')]),
    ),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}
