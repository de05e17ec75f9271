// Descriptions of fields and endpoints are the doc comments in the contract. This reads them, so that OpenAPI, the docs and
// the command line's flags can print them, and the SDK's main entry never carries them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const folder = 'packages/sdk/src/contract';

/** `representation({...})` and `z.object({...})` are the two ways a schema is written. */
const objectOf = (initializer) =>
  initializer &&
  ts.isCallExpression(initializer) &&
  /^(representation|z\.object)$/.test(initializer.expression.getText()) &&
  ts.isObjectLiteralExpression(initializer.arguments[0])
    ? initializer.arguments[0]
    : null;

/** A table of endpoints: `{ list: list({...}), publish: action('publish', {...}) }`. */
const isEndpointTable = (initializer) =>
  initializer &&
  ts.isObjectLiteralExpression(initializer) &&
  initializer.properties.every(
    ({ initializer: entry }) =>
      entry &&
      ts.isCallExpression(entry) &&
      /^(endpoint|list|get|create|update|remove|action)$/.test(entry.expression.getText()),
  );

const textOf = ({ comment }) => (ts.getTextOfJSDocComment(comment) ?? '').replace(/\s+/g, ' ').trim();

/** What the comment says, and its tags: `default` and `remarks`. */
const partsOf = (property) => {
  const comments = ts.getJSDocCommentsAndTags(property).filter(ts.isJSDoc);
  const tags = comments.flatMap(({ tags = [] }) => tags.map((tag) => [tag.tagName.text, textOf(tag)]));
  return { what: comments.map(textOf).join(' '), ...Object.fromEntries(tags) };
};

const entriesOf = (object) => object.properties.map((property) => [property.name.getText(), partsOf(property)]);

/** Every top-level variable of the contract's files. */
function* declarations() {
  for (const name of readdirSync(folder).sort()) {
    if (!name.endsWith('.ts') || name.endsWith('.generated.ts')) continue;
    const path = join(folder, name);
    const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
    for (const statement of source.statements.filter(ts.isVariableStatement)) {
      for (const { name: variable, initializer } of statement.declarationList.declarations) {
        yield { path, name: variable.getText(), initializer };
      }
    }
  }
}

/** What each field is, by the name of its schema and its own. */
function fieldDescriptions() {
  const descriptions = {};
  for (const { path, name, initializer } of declarations()) {
    const object = objectOf(initializer);
    if (!object) continue;
    const fields = entriesOf(object).map(([field, { what, ...others }]) => {
      if (!what)
        throw new Error(`${path}: ${name}.${field} has no doc comment. Write one: it is its description everywhere.`);
      return [field, Object.keys(others).length > 0 ? { what, ...others } : what];
    });
    descriptions[name] = Object.fromEntries(fields);
  }
  return descriptions;
}

/** What the endpoints with a doc comment do, by operation. */
function operationDescriptions() {
  const tables = [...declarations()].filter(({ initializer }) => isEndpointTable(initializer));
  return Object.fromEntries(
    tables.flatMap(({ name, initializer }) =>
      entriesOf(initializer)
        .filter(([, { what }]) => what)
        .map(([operation, { what }]) => [`${name}.${operation}`, what]),
    ),
  );
}

/** Each field on a line, where it fits. */
const linesOf = (fields) =>
  Object.entries(fields)
    .map(([field, description]) => `${field}: ${JSON.stringify(description)},`)
    .join('\n');

export const output = `${folder}/descriptions.generated.ts`;

export function generate() {
  return [
    '// Generated from the doc comments of this folder by `npm run generate`. Do not edit.',
    '',
    '/** What each field of each schema is, by the name of the schema and of the field. `descriptionText` makes one line of it. */',
    'export const descriptions = {',
    ...Object.entries(fieldDescriptions()).map(([name, fields]) => `${name}: {\n${linesOf(fields)}\n},`),
    '} as const;',
    '',
    '/** What an operation does beyond its summary, by its name; of those that need more words. */',
    `export const operationDescriptions: Readonly<Record<string, string>> = ${JSON.stringify(operationDescriptions(), null, 2)};`,
    '',
  ];
}
