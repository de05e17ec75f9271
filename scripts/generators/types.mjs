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

/** The schema whose fields an interface has, `campaignFields` for those of `z.partial(campaignFields)`, and what is done with it. */
function schemaOf(declaration, schemas) {
  const [, name] = /typeof (\w+)/.exec(declaration.getText()) ?? [];
  const [, change, schema = name] = /^z\.(partial|omit)\((\w+)/.exec(schemas.get(name) ?? '') ?? [];
  return { schema, change };
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
  const { descriptionsOf, descriptionText } = await fromSource('packages/sdk/src/contract/descriptions.ts');

  const textOf = (type, at) =>
    checker
      .typeToString(type, at, ts.TypeFormatFlags.NoTruncation)
      .replace(/^string \| number$/, 'Id')
      .replaceAll(/import\("[^"]+"\)\./g, '');

  const fieldsOf = (declaration) =>
    checker.getPropertiesOfType(checker.getTypeAtLocation(declaration.name)).map((property) => {
      const description = descriptionsOf(schemaOf(declaration, schemas).schema)[property.name];
      if (!description) throw new Error(`${declaration.name.text}.${property.name} has no doc comment.`);
      const optional = property.flags & ts.SymbolFlags.Optional ? '?' : '';
      const type = textOf(checker.getTypeOfSymbolAtLocation(property, declaration), declaration);
      return `/** ${descriptionText(description)} */\n${property.name}${optional}: ${type};`;
    });

  const names = new Set();
  /** The interfaces with all fields of a schema. */
  const bySchema = new Map();
  const interfaces = statements.filter(ts.isInterfaceDeclaration).flatMap((declaration) => {
    const [base] = declaration.heritageClauses?.flatMap(({ types }) => types) ?? [];
    const isInferred = /z\.(infer|input)</.test(base?.getText() ?? '');
    if (!isInferred && ![...names].some((name) => new RegExp(`\\b${name}\\b`).test(base?.getText() ?? ''))) return [];
    const { text: name } = declaration.name;
    names.add(name);
    if (!isInferred) return ['', commentOf(declaration) + declaration.getText()];
    const { schema, change } = schemaOf(declaration, schemas);
    if (change === undefined) bySchema.set(schema, name);
    const text =
      change === 'partial' && bySchema.has(schema)
        ? `export interface ${name} extends Changes<${bySchema.get(schema)}> {}`
        : `export interface ${name} {\n${fieldsOf(declaration).join('\n')}\n}`;
    return ['', commentOf(declaration) + text];
  });

  return [
    '// Generated from the schemas of this folder by `npm run generate`. Do not edit.',
    "import type { Changes, Id, Open, Purge } from './types.js';",
    ...interfaces,
    '',
  ];
}
