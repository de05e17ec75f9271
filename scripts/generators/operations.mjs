// The SDK's main entry has 16 kB for everything, and zod with the contract's schemas takes 10 of them. So it runs on this
// extract: the endpoints without their request schemas, and what each representation promises as one line per field.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromSource } from '../lib/from-source.mjs';

const folder = 'packages/sdk/src/contract';

export const output = 'packages/sdk/src/operations.generated.ts';

/** The interface of each schema, `Campaign` of `campaign`, with the file that declares it. */
function interfaces() {
  const found = new Map();
  for (const file of readdirSync(folder)) {
    const source = readFileSync(join(folder, file), 'utf8');
    for (const [, name, schema] of source.matchAll(/export interface (\w+) extends \w+<(?:z\.infer<typeof (\w+)>)?/g))
      found.set(schema ?? name[0].toLowerCase() + name.slice(1), { name, file: file.replace(/\.ts$/, '.js') });
  }
  return found;
}

/** A schema of a field as a type expression that the SDK's validation reads. */
function expression(schema) {
  const { def } = schema._zod;
  switch (def.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return def.type;
    case 'number':
      return def.format ? 'integer' : 'number';
    case 'enum':
      return Object.values(def.entries)
        .map((value) => JSON.stringify(value))
        .join('|');
    case 'array':
      return `${arrayItem(expression(def.element))}[]`;
    case 'nullable':
      return `${expression(def.innerType)}|null`;
    case 'optional':
      return expression(def.innerType);
    case 'union':
      return def.options.map(expression).join('|');
    default:
      throw new Error(
        `The operations generator does not know the schema type ${def.type}. Teach it and the SDK's validation.`,
      );
  }
}

function arrayItem(item) {
  if (item.includes('|')) throw new Error(`The SDK's validation reads no array of ${item}.`);
  return item;
}

function shape(schema) {
  const fields = Object.entries(schema._zod.def.shape).map(([name, field]) => {
    const optional = field._zod.def.type === 'optional' ? '?' : '';
    const value = field._zod.def.type === 'object' ? shape(field) : expression(field);
    return [name + optional, value];
  });
  return Object.fromEntries(fields);
}

export async function generate() {
  const contract = await fromSource(join(folder, 'index.ts'));
  const types = interfaces();
  const schemas = new Map(
    Object.entries(contract)
      .filter(([name]) => types.has(name))
      .map(([name, schema]) => [schema, name]),
  );
  const used = new Set();

  const resources = Object.entries(contract.contract).map(([resource, endpoints]) => {
    const entries = Object.entries(endpoints).map(([name, endpoint]) => {
      const schema = endpoint.response && schemas.get(endpoint.response);
      if (endpoint.response && !schema)
        throw new Error(`${endpoint.operation} answers with a schema that has no interface.`);
      if (schema) used.add(schema);
      const data = [
        `operation: '${endpoint.operation}'`,
        `method: '${endpoint.method}'`,
        `path: '${endpoint.path}'`,
        endpoint.request && `wrapper: '${endpoint.request.wrapper}'`,
        endpoint.request?.file && `file: '${endpoint.request.file}'`,
        schema && `shape: ${schema}Shape`,
        endpoint.paginated && 'list: true',
        endpoint.etag && 'etag: true',
      ];
      return `${name}: { ${data.filter(Boolean).join(', ')} } as Operation<${schema ? types.get(schema).name : 'void'}>,`;
    });
    return `export const ${resource} = {\n${entries.join('\n')}\n};`;
  });

  const names = new Map();
  for (const schema of used) {
    const { name, file } = types.get(schema);
    names.set(file, [...(names.get(file) ?? []), name].sort());
  }
  return [
    '// Generated from the contract by `npm run generate`. Do not edit.',
    ...[...names].sort().map(([file, types]) => `import type { ${types.join(', ')} } from './contract/${file}';`),
    "import type { Operation } from './transport/operation.js';",
    '',
    ...[...used].map((name) => `const ${name}Shape = ${JSON.stringify(shape(contract[name]))};`),
    '',
    resources.join('\n\n'),
    '',
  ].join('\n');
}
