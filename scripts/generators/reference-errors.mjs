// docs/reference/errors.md: what the API says when it refuses, from the source of the server; what the SDK throws then, from
// its classes; the words of the command line's JSON errors, from where they are made.
import ts from 'typescript';
import { fromSource } from '../lib/from-source.mjs';
import { cell, fence, table } from '../lib/markdown.mjs';
import { nodesOf, plainDocOf, sentence, sourceFiles } from '../lib/typescript.mjs';

export const output = 'docs/reference/errors.md';

/** Which argument of a function that refuses is the sentence, and the status that it leads to. */
const makers = {
  badRequest: [400, 0],
  unauthorized: [401, 0],
  forbidden: [403, 0],
  notFound: [404, 0],
  guarded: [422, 0],
  invalid: [422, 1],
  refused: [303, 0],
};

const statuses = {
  400: 'The request cannot be read.',
  401: 'The token is missing, unknown or revoked, or a read-only one is used for a change. Always with the header `WWW-Authenticate: Token realm="Application"`.',
  403: 'The token is good and the thing is visible, but the role does not permit this.',
  404: 'It does not exist, or not for this token. Who is no member of an organization gets this for all that it holds; a member gets it for drafts.',
  405: 'The address is right, the method is not. The header `Allow` names those that are.',
  412: 'The resource is not in the state that `If-Match` or `If-Unmodified-Since` asks for. Nothing was changed. Read it again, then decide.',
  413: 'The body is too large: JSON up to 1 MiB, multipart up to 10 MiB.',
  415: 'The body has a content type that is not taken here, or is encoded.',
  422: 'A field is wrong, or a guard stands in the way. A guard that belongs to no field is under `base`.',
  429: 'More requests than the server allows. `Retry-After` says how many seconds to wait. None by default.',
  500: 'The server failed.',
  503: 'The data cannot be reached at the moment. `Retry-After` says when to try again; the server recovers by itself, once a full disk has room again.',
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
      // Refusals by role, and what stands for errors that are not told as they are.
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

/** The SDK's classes in the order of their file: name, comment, parent, what they carry. */
function classes() {
  return nodesOf('packages/sdk/src/errors.ts')
    .filter((node) => ts.isClassDeclaration(node))
    .map((node) => ({
      name: node.name.text,
      doc: plainDocOf(node),
      parent: node.heritageClauses?.[0]?.types[0].expression.getText(),
      carries: node.members
        .filter((member) => ts.isPropertyDeclaration(member))
        .filter(({ modifiers }) => !modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword))
        .map((member) => member.name.getText()),
    }));
}

const property = (object, name) =>
  object.properties.find((each) => ts.isPropertyAssignment(each) && each.name.getText() === name)?.initializer;

/** `exitCode` of an object, or of what is spread into it from the same function: `{ ...base, code: 'rejected' }`. */
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

/** What an expression may come to. */
const results = (node) => {
  const one = bare(node);
  if (ts.isConditionalExpression(one)) return [...results(one.whenTrue), ...results(one.whenFalse)];
  return ts.isBinaryExpression(one) ? [...results(one.left), ...results(one.right)] : [one];
};

/** Words with their codes, branch by branch where both depend on the same: `stopped ? 'interrupted' : 'partly_done'`. */
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

/** Words of the JSON errors of the command line, with the exit codes that they go with. */
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
  const told = sentences();
  const untold = Object.keys(statuses).filter((status) => !told.has(Number(status)));
  if (untold.length > 0) throw new Error(`No sentence of the server has status ${untold.join(', ')}.`);
  const sdk = classes();
  const classOf = (status) =>
    sdk.find(({ doc }) => doc.startsWith(`${status}:`))?.name ?? (status >= '500' ? 'ServerError' : 'HttpError');
  const { exitCodes } = await fromSource('packages/cli/src/errors/exit-codes.ts');

  const lines = [
    '<!-- Generated from the source by `npm run generate`. Do not edit. -->',
    '',
    '# Errors',
    '',
    'For everybody who handles refusals: what the API answers, what the SDK throws, and what `mkt` prints for programs.',
    '',
    '## How the API says no',
    '',
    'A refused request has changed nothing. Its body is one of two shapes. `422` says what is wrong by field, under `base` what belongs to no',
    'field:',
    '',
    ...fence('json', [JSON.stringify({ errors: { cpm_amount: ['Cpm amount must be 0 or more.'] } }, null, 2)]),
    'Every other status carries one sentence:',
    '',
    ...fence('json', [
      JSON.stringify(
        { error: 'Organization 4711 was not found. Check the id, and that you are a member of it.' },
        null,
        2,
      ),
    ]),
    'Each answer has an `X-Request-Id`: name it when you report a problem. The order of checks is fixed: address, rate limit, token, write',
    'permission, organization, thing, role, body, fields, guards. So a stranger learns nothing about what exists.',
    '',
    '## By status',
    '',
    'Sentences are those of the reference server; `…` stands for a name or a number. Programs go by the status and by field.',
    '',
    ...Object.entries(statuses).flatMap(([status, about]) => [
      `### ${status}`,
      '',
      `${about} In the SDK: \`${classOf(status)}\`.`,
      '',
      ...told.get(Number(status)).map((text) => `- ${cell(text)}`),
      '',
      ...(status === '422' ? ['What a field may hold stands with [its endpoint](endpoints.md).', ''] : []),
    ]),
    '### A refused action',
    '',
    'Publishing, pausing, resuming, submitting and unpausing are web actions: they answer with a redirect, `303`, also when the state does',
    'not allow the step. The reason stands on the page that the redirect leads to. The SDK reads the thing afterwards and throws a',
    '`TransitionError`; `mkt` ends with 6.',
    '',
    ...told.get(303).map((text) => `- ${cell(text)}`),
    '',
    '## What the SDK throws',
    '',
    'Every class extends `MarketplaceError`. `instanceof` holds even when two copies of the package are loaded.',
    '',
    ...table(
      ['Class', 'Extends', 'When', 'Carries'],
      sdk.map(({ name, parent, doc, carries }) => [
        `\`${name}\``,
        parent === 'Error' ? '`Error`' : `\`${parent}\``,
        cell(doc),
        carries.map((each) => `\`${each}\``).join(' '),
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
    'Where a command took several ids, `results` says what became of each. `code` is one of these words, and ends with the exit code beside',
    'it ([what they mean](exit-codes.md)):',
    '',
    ...table(
      ['Word', 'Exit code'],
      words(exitCodes).map(([word, codes]) => [`\`${word}\``, codes.join(' or ')]),
    ),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}
