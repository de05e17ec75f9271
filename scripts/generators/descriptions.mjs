// Field descriptions are the doc comments in the contract's schemas. This reads them, so that OpenAPI, the docs and the
// command line's flags can print them, and the SDK's main entry never carries them.
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

const commentOf = (property) =>
  ts
    .getJSDocCommentsAndTags(property)
    .map((comment) => ts.getTextOfJSDocComment(comment.comment) ?? '')
    .join(' ')
    .replace(/\s+/g, ' ');

/** What each field is, by the name of its schema and its own. */
export function fieldDescriptions() {
  const descriptions = {};
  for (const name of readdirSync(folder).sort()) {
    if (!name.endsWith('.ts') || name.endsWith('.generated.ts')) continue;
    const path = join(folder, name);
    const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
    source.forEachChild((statement) => {
      if (!ts.isVariableStatement(statement)) return;
      for (const { name: schema, initializer } of statement.declarationList.declarations) {
        const object = objectOf(initializer);
        if (!object) continue;
        const fields = {};
        for (const property of object.properties) {
          const field = property.name.getText();
          fields[field] = commentOf(property);
          if (!fields[field])
            throw new Error(
              `${path}: ${schema.getText()}.${field} has no doc comment. Write one: it is its description everywhere.`,
            );
        }
        descriptions[schema.getText()] = fields;
      }
    });
  }
  return descriptions;
}

export const output = `${folder}/descriptions.generated.ts`;

export function generate() {
  return [
    '// Generated from the doc comments of this folder by `npm run generate`. Do not edit.',
    '',
    '/** What each field of each schema is, as one line of plain text, by the name of the schema and of the field. */',
    `export const descriptions = ${JSON.stringify(fieldDescriptions(), null, 2)} as const;`,
    '',
  ].join('\n');
}
