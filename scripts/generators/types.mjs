// The types of the contract's fields are inferred from its schemas. The SDK's main entry must compile without the types of
// zod, which need settings that older programs lack, so this writes them as plain interfaces.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { fromSource } from '../lib/from-source.mjs';

const folder = 'packages/sdk/src/contract';

export const output = `${folder}/types.generated.ts`;
/** The descriptions of fields. */
export const readsOutputs = true;

/** The doc comment of a declaration, as it is written. */
const commentOf = (node) =>
  ts
    .getJSDocCommentsAndTags(node)
    .map((comment) => `${comment.getText()}\n`)
    .join('');

/** The schema whose fields an interface has: `campaignFields` for those of `z.partial(campaignFields)`. */
function schemaOf(declaration, schemas) {
  const [, name] = /typeof (\w+)/.exec(declaration.getText()) ?? [];
  return /^z\.(?:partial|omit)\((\w+)/.exec(schemas.get(name) ?? '')?.[1] ?? name;
}

export async function generate() {
  const { config } = ts.readConfigFile('packages/sdk/tsconfig.json', ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, 'packages/sdk');
  const files = readdirSync(folder)
    .filter((name) => !name.endsWith('.generated.ts'))
    .sort()
    .map((name) => join(folder, name));
  const program = ts.createProgram(files, options);
  const checker = program.getTypeChecker();
  const statements = files.flatMap((file) => [...program.getSourceFile(file).statements]);
  const variables = statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations]);
  const schemas = new Map(variables.map(({ name, initializer }) => [name.getText(), initializer?.getText()]));
  const { descriptions, descriptionText } = await fromSource(
    'packages/sdk/src/contract/descriptions.ts',
    'packages/sdk/src/contract/descriptions.generated.ts',
  );

  const textOf = (type, at) =>
    checker
      .typeToString(type, at, ts.TypeFormatFlags.NoTruncation)
      .replace(/^string \| number$/, 'Id')
      .replaceAll(/import\("[^"]+"\)\./g, '');

  const fieldsOf = (declaration) =>
    checker.getPropertiesOfType(checker.getTypeAtLocation(declaration.name)).map((property) => {
      const description = descriptions[schemaOf(declaration, schemas)]?.[property.name];
      if (!description) throw new Error(`${declaration.name.text}.${property.name} has no doc comment.`);
      const optional = property.flags & ts.SymbolFlags.Optional ? '?' : '';
      const type = textOf(checker.getTypeOfSymbolAtLocation(property, declaration), declaration);
      return `/** ${descriptionText(description)} */\n${property.name}${optional}: ${type};`;
    });

  const names = new Set();
  const interfaces = statements.filter(ts.isInterfaceDeclaration).flatMap((declaration) => {
    const [base] = declaration.heritageClauses?.flatMap(({ types }) => types) ?? [];
    const isInferred = /z\.(infer|input)</.test(base?.getText() ?? '');
    if (!isInferred && ![...names].some((name) => new RegExp(`\\b${name}\\b`).test(base?.getText() ?? ''))) return [];
    names.add(declaration.name.text);
    const text = isInferred
      ? `export interface ${declaration.name.text} {\n${fieldsOf(declaration).join('\n')}\n}`
      : declaration.getText();
    return ['', commentOf(declaration) + text];
  });

  return [
    '// Generated from the schemas of this folder by `npm run generate`. Do not edit.',
    "import type { Id, Open, Purge } from './types.js';",
    ...interfaces,
    '',
  ];
}
