// The list of the SQL files, which bundlers need: they take in only what is imported by name.
import { readdirSync } from 'node:fs';

const folder = 'packages/server/src/store/sql/schema';
const dialects = ['sqlite', 'postgres'];

export const output = `${folder}/files.generated.ts`;

export function generate() {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  const names = [...new Set(files.map((file) => file.replace(/\.\w+\.sql$/, '')))].sort();
  const numbers = names.map((name) => /^(\d{4})(_[a-z0-9_]+)?$/.exec(name)?.[1]);
  names.forEach((name, at) => {
    if (Number(numbers[at]) !== at + 1)
      throw new Error(`${folder}: ${name} should have the number ${String(at + 1).padStart(4, '0')} and a word.`);
    for (const dialect of dialects)
      if (!files.includes(`${name}.${dialect}.sql`)) throw new Error(`${folder}/${name}.${dialect}.sql is missing.`);
  });
  const variable = (dialect, at) => `${dialect}${numbers[at]}`;
  return [
    '// Generated from the SQL files of this folder by `npm run generate`. Do not edit.',
    '',
    // By their paths, as Biome sorts them.
    ...names.flatMap((name, at) =>
      dialects.toSorted().map((dialect) => `import ${variable(dialect, at)} from './${name}.${dialect}.sql?raw';`),
    ),
    '',
    '/** A file of each dialect has this name, and its text is a template: see `0001`. */',
    'export interface SchemaFile { readonly name: string; readonly text: string }',
    '',
    'export const schemaFiles = {',
    ...dialects.map(
      (dialect) => `${dialect}: [${names.map((name, at) => `{ name: '${name}', text: ${variable(dialect, at)} }`)}],`,
    ),
    "} satisfies Readonly<Record<'sqlite' | 'postgres', readonly SchemaFile[]>>;",
  ];
}
