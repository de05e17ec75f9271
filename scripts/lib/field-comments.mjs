// A field's doc comment is its description in editors. TypeScript leaves comments out of types that it infers, and those of
// the fields are inferred from the contract's schemas: so a build of the SDK puts them back into its declarations.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fieldDescriptions } from '../generators/descriptions.mjs';

const contract = 'packages/sdk/src/contract';

/** A schema made of another one has the fields of that: `campaignChanges = z.partial(campaignFields)`. */
function derived(descriptions) {
  const sources = readdirSync(contract)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(contract, file), 'utf8'));
  const made = sources.flatMap((source) => [...source.matchAll(/const (\w+) = z\.(?:partial|omit)\((\w+)/g)]);
  return Object.fromEntries(made.map(([, name, base]) => [name, descriptions[base]]));
}

/** @param {string} folder Of a build's declarations. */
export function commentFields(folder) {
  const own = fieldDescriptions();
  const descriptions = { ...own, ...derived(own) };
  for (const file of readdirSync(folder).filter((name) => /\.d\.c?ts$/.test(name))) {
    const path = join(folder, file);
    const schemas = /^(declare const (\w+): z\.ZodMiniObject<\{\n)((?: {4}.*\n)+)/gm;
    const commented = readFileSync(path, 'utf8').replaceAll(schemas, (_, start, name, fields) => {
      const field = (line, key) => `    /** ${descriptions[name]?.[key]} */\n${line}`;
      return descriptions[name] ? start + fields.replaceAll(/^ {4}(\w+): /gm, field) : start + fields;
    });
    writeFileSync(path, commented);
  }
}
