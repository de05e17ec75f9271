import type { FieldKinds } from '@mkt/sdk/contract';
import * as contract from '@mkt/sdk/contract';
import { hasKind, platforms } from '@mkt/sdk/contract/resources';
import type { BriefFormat } from '@mkt/server/brief-html';
import type { FieldFlags } from '../context/command.js';
import type { Flag, FlagKind } from '../context/flags.js';

const schemas = contract as unknown as Readonly<Record<string, contract.Schema | undefined>>;

/** The fields of a schema of the contract. */
function shapeOf(name: string): Readonly<Record<string, contract.Schema>> {
  const schema = schemas[name];
  if (schema === undefined) throw new Error(`The contract has no schema ${name}.`);
  return contract.definitionOf(schema).shape ?? {};
}

/** A schema and its parts: those of list items, what may be null or omitted, and alternatives. */
function partsOf(schema: contract.Schema): contract.Schema[] {
  const { innerType, element, options = [] } = contract.definitionOf(schema);
  return [schema, ...[innerType, element, ...options].flatMap((part) => (part ? partsOf(part) : []))];
}

/** Names of all fields of a schema, in the contract's order. */
export const fieldNames = (schema: string): string[] => Object.keys(shapeOf(schema));

/** What each field of a schema is. */
export const fieldKinds = (schema: string): FieldKinds => contract.kindsOf(schemas[schema] as contract.Schema);

/** Whether a field of a schema holds a list. */
export const isListField = (schema: string, field: string): boolean =>
  partsOf(shapeOf(schema)[field] as contract.Schema).some((part) => contract.definitionOf(part).type === 'array');

/** The pattern of a field that holds a code, a slug, or a list of them. */
export function patternOf(schema: string, field: string): RegExp | undefined {
  const found = shapeOf(schema)[field];
  const patterns = found && partsOf(found).flatMap(({ _zod }) => [...((_zod.bag.patterns as Set<RegExp>) ?? [])]);
  return patterns?.[0];
}

const kindOf = (isPurge: boolean, field: string, types: readonly string[]): FlagKind => {
  if (isPurge) return 'switch';
  if (types.includes('array')) return 'list';
  if (types.includes('boolean')) return 'boolean';
  if (types.includes('string') || types.includes('enum')) return 'text';
  if (types.includes('number')) return 'integer';
  throw new Error(`There is no kind of flag for the field ${field}.`);
};

/** Those without a value have none. */
const placeholders: Readonly<Record<FlagKind, string | null>> = {
  list: 'A,B',
  integer: 'N',
  text: 'TEXT',
  seconds: 'SECONDS',
  path: 'FILE',
  switch: null,
  boolean: null,
};

/** Markdown without backticks, and without the final full stop. */
const plainText = (markdown: string): string => markdown.replaceAll('`', '').replace(/\.$/, '');

/** The codes that a field holds. */
export const codesOf = (kinds: FieldKinds, field: string): Flag['codes'] =>
  (['country', 'currency'] as const).find((kind) => hasKind(kinds, field, kind));

const describe = (schema: string, field: string, kind: FlagKind, partial: boolean): string => {
  if (kind === 'switch') return `Remove the ${field.replace('purge_', '').replaceAll('_', ' ')}`;
  const description = contract.descriptionsOf(schema)[field];
  if (description === undefined) throw new Error(`${schema}.${field} has no description yet. Run: npm run generate`);
  // A change does not touch omitted fields, so defaults apply only to creations.
  const { default: _, ...ofChanges } = description;
  const parts = partial ? ofChanges : description;
  if (!hasKind(fieldKinds(schema), field, 'richText')) return plainText(contract.descriptionText(parts));
  // The contract describes what the API takes; mkt converts other text.
  const what = `The ${field} as plain text, Markdown or HTML, at most 64 KiB; unsafe markup is removed.`;
  return `${contract.descriptionText({ ...parts, what })} @FILE reads a file, @- reads a pipe`;
};

/** How a brief may be written. */
export const briefFormats: readonly BriefFormat[] = ['html', 'markdown', 'text'];

/** What says how a brief is written, in flags, files and arguments: `brief_format`. */
export const formatField = (field: string): string => `${field}_format`;

/** The fields that a file may have: also those that say how a brief is written. */
export const fileFields = (fields: readonly string[], kinds: FieldKinds): string[] =>
  fields.flatMap((field) => (hasKind(kinds, field, 'richText') ? [field, formatField(field)] : [field]));

/** The flags for a request schema of the contract, one per field: `cpm_amount` is `--cpm-amount`. */
export function fieldFlags({ schema, partial, file }: FieldFlags): Flag[] {
  const kinds = fieldKinds(schema);
  const flags = Object.entries(shapeOf(schema)).flatMap(([field, property]): Flag[] => {
    const parts = partsOf(property).map(contract.definitionOf);
    const types = parts.map(({ type }) => type);
    const kind = kindOf(hasKind(kinds, field, 'purge'), field, types);
    const text = describe(schema, field, kind, partial);
    const entries = parts.find((part) => part.entries)?.entries;
    const choices = kind === 'list' || entries === undefined ? undefined : Object.values(entries);
    const standard = contract.descriptionsOf(schema)[field]?.default;
    const value = choices?.join('|') ?? placeholders[kind];
    const codes = codesOf(kinds, field);
    // Services may add others.
    const known = kind === 'list' && hasKind(kinds, field, 'platform') ? platforms : undefined;
    const clearable = kind === 'list' || (kind === 'text' && types.includes('nullable'));
    const name = field.replaceAll('_', '-');
    const flag: Flag = {
      name,
      field,
      kind,
      ...(value !== null && { value }),
      description: partial ? `${text}${clearable ? '; none clears it' : ''}` : text,
      ...(!partial && property._zod.optin !== 'optional' && { required: true }),
      ...(choices && { choices }),
      ...(codes && { codes }),
      ...(known && { known }),
      ...(standard !== undefined && { standard: plainText(standard) }),
      ...(clearable && { clearable }),
    };
    if (!hasKind(kinds, field, 'richText')) return [flag];
    const formatFlag: Flag = {
      name: `${name}-format`,
      field: formatField(field),
      kind: 'text',
      value: briefFormats.join('|'),
      description: `How the ${field} is written; by default its file or its start shows it. See mkt help briefs`,
      choices: briefFormats,
    };
    return [flag, formatFlag];
  });
  if (file === undefined) return flags;
  return [
    ...flags,
    { name: file, field: file, kind: 'path', value: 'FILE', description: `Image file to upload as the ${file}` },
  ];
}
