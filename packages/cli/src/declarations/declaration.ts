import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { codesOnly, isBlank } from '@mkt/sdk/contract';
import { fieldsOfKind } from '@mkt/sdk/contract/resources';
import { briefFormatOfFile } from '@mkt/server/brief-html';
import * as z from 'zod/mini';
import { fieldNames, fileFields, formatField } from '../api/field-flags.js';
import { textOf } from '../config/text-of.js';
import type { Context } from '../context/context.js';
import { CliError, type ErrorCode, usageError } from '../errors/cli-error.js';
import { isFileName, withHtmlBriefs } from '../fields/brief.js';
import {
  type Problem,
  problemsError,
  typeName,
  unknownKey,
  type ValueProblem,
  valueMessage,
} from '../fields/problems.js';
import { type fileOf, readNamedFile, readText } from '../fields/read-input.js';
import { type Position, readYaml, type Yaml } from '../fields/read-yaml.js';
import { isObject, type JsonObject, valueAt } from '../text/values.js';
import { allKinds, type Kind, kinds } from './kinds.js';

/** One resource as the file declares it. */
export interface Declared {
  readonly kind: Kind;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly isDeleted: boolean;
  /** Whether it is to be created although another one has almost the same name. */
  readonly isNew?: boolean;
  /** The fields to send, in the order of the file; null clears one. */
  readonly fields: Readonly<JsonObject>;
  readonly state: string | undefined;
  /** The position of a declared field, or else of the whole object. */
  readonly positionOf: (field?: string) => Position;
}

/** The field with the banner, and the write-only field that removes it. */
export const BANNER = 'banner_image_url';
export const PURGE_BANNER = 'purge_banner_image';

/** All problems of a file in one error. */
export const invalidFile = (file: string, problems: readonly Problem[], code: ErrorCode = 'usage'): CliError =>
  problemsError(file, problems, { code, message: 'Nothing was changed.' });

const isWithin = (folder: string, path: string): boolean => {
  const inside = relative(realpathSync(folder), path);
  return inside !== '' && !inside.startsWith('..') && !isAbsolute(inside);
};

/**
 * The text of `@file`, relative to the folder of the declaration. Only files of the project are read: their content is
 * shown and sent, and a declaration from a pull request must not fetch `/proc/self/environ`.
 */
function readReference(reference: string, folder: string): string {
  const path = resolve(folder, reference.slice(1));
  if (!existsSync(path)) throw usageError(`${reference} does not exist (${path}).`);
  const real = realpathSync(path);
  if (!isWithin(folder, real) && !isWithin(resolve(), real)) {
    throw usageError(`${reference} is outside the folder of this file and the current folder, so it was not read.`);
  }
  return textOf(readNamedFile(real, reference), reference);
}

const isIdentifier = (value: unknown): boolean =>
  typeof value === 'string' ? !isBlank(value) : Number.isSafeInteger(value) && Number(value) > 0;

const identifier = (message: string) =>
  z.optional(z.pipe(z.unknown().check(z.refine(isIdentifier, message)), z.transform(String)));

/** The text of a brief, and the format that the name of its file shows. @throws a usage error */
function readBrief(text: string, folder: string | undefined) {
  if (folder === undefined) {
    if (/^@\S*$/.test(text.trim()))
      throw usageError('must be its text (plain, Markdown or HTML), not the name of a file.');
  } else if (text.startsWith('@')) return { text: readReference(text, folder), format: briefFormatOfFile(text) };
  else if (isFileName(text, folder)) throw usageError(`is the name of a file. To send its text: "@${text.trim()}".`);
  return { text, format: undefined };
}

/** The content of a file with briefs as HTML, their errors, and the parts that were left out. */
function withBriefs({ value, positionOf }: Yaml, folder: string | undefined) {
  const problems: Problem[] = [];
  const notes: { readonly line: number; readonly message: string }[] = [];
  const converted =
    (list: string, { resource }: Kind) =>
    (item: unknown, index: number) => {
      if (!isObject(item)) return item;
      const place = (field: string) => positionOf([list, index, field]);
      const fields: Record<string, unknown> = { ...item };
      for (const field of fieldsOfKind(resource.fields, 'richText')) {
        const given = item[field];
        if (typeof given !== 'string') continue;
        try {
          const { text, format } = readBrief(given, folder);
          Object.assign(fields, { [field]: text, [formatField(field)]: item[formatField(field)] ?? format });
        } catch (error) {
          if (!(error instanceof CliError)) throw error;
          problems.push({ ...place(field), message: `${field} ${error.message}` });
        }
      }
      return withHtmlBriefs(resource.fields, fields, {
        problem: (field, message) => problems.push({ ...place(field), message: `${field} ${message}` }),
        leftOut: (field, message) => notes.push({ line: place(field).line, message }),
      });
    };
  if (!isObject(value)) return { value, problems, notes };
  const lists = Object.entries(value).map(([list, items]) => {
    const kind = allKinds.find(({ name, isDraft }) => isDraft && name === list);
    return [list, kind && Array.isArray(items) ? items.map(converted(list, kind)) : items];
  });
  return { value: Object.fromEntries(lists), problems, notes };
}

/** A field of the contract. Blank text becomes null where the field can be null, as the service stores it. */
const fieldSchema = (schema: z.ZodMiniType) =>
  z.optional(
    z.pipe(
      z.transform((value) =>
        typeof value === 'string' && isBlank(value) && schema.safeParse(null).success ? null : value,
      ),
      schema,
    ),
  );

const fileKeys = ['organization', ...Object.keys(kinds)];
const objectKeys = ({ fields, states, isDraft, resource }: Kind): string[] =>
  isDraft
    ? ['id', ...fileFields(Object.keys(fields), resource.fields), states.field, 'create', 'delete']
    : [...Object.keys(fields)];

const MUST_BE_OBJECT = 'must be an object of fields, such as {name: Summer, cpm_amount: 500}';

function draftSchema({ fields, states, resource }: Kind) {
  const schemas = Object.entries(fields).map(([name, schema]) => [name, fieldSchema(schema)] as const);
  const isState = z.refine((value) => states.names.some((name) => name === value), {
    params: { code: 'unknown_state', names: states.names } satisfies ValueProblem,
  });
  const shape = {
    ...Object.fromEntries(schemas),
    ...(PURGE_BANNER in fields && { [PURGE_BANNER]: z.optional(z.boolean('must be true or false')) }),
    id: identifier(`must be the id of an existing ${resource.singular}`),
    [states.field]: z.optional(z.unknown().check(isState)),
    create: z.optional(z.literal(true, 'must be true, or left out')),
    delete: z.optional(z.literal(true, 'must be true, or left out')),
  };
  // An unknown key is probably the misspelt name.
  const when = ({ issues }: { readonly issues: readonly unknown[] }) => issues.length === 0;
  return z.strictObject(shape, MUST_BE_OBJECT).check(
    z.refine((object) => 'id' in object || 'name' in object, { error: 'must have an id or a name', when }),
    z.refine((object) => !('delete' in object) || ('id' in object && Object.keys(object).length === 2), {
      error: 'that is deleted must have only its id',
      when,
    }),
  );
}

function memberSchema({ fields, resource }: Kind) {
  const id = identifier(`must be the id or the e-mail address of a ${resource.singular}`);
  return z.strictObject({ ...fields, id }, 'must be an object, such as {id: mem_5_ben, role: admin}').check(
    z.refine((object) => 'id' in object, {
      error: 'must have an id',
      when: ({ issues }) => issues.length === 0,
    }),
  );
}

function addressSchema({ fields }: Kind) {
  const optional = Object.entries(fields).map(([name, schema]) => [name, z.optional(schema)]);
  return z.strictObject(Object.fromEntries(optional), 'must be an object of fields, such as {city: Berlin}');
}

function fileSchema() {
  const list = <Schema extends z.ZodMiniType>(schema: Schema) => z.optional(z.array(schema, 'must be a list'));
  const shape = {
    // For editors.
    $schema: z.optional(z.string('must be text')),
    organization: identifier('must be an id or an exact name'),
    campaigns: list(draftSchema(kinds.campaigns)),
    collabs: list(draftSchema(kinds.collabs)),
    members: list(memberSchema(kinds.members)),
    address: z.optional(addressSchema(kinds.address)),
  };
  return z
    .strictObject(shape)
    .check(
      z.refine(
        ({ campaigns, collabs, members, address }) => campaigns ?? collabs ?? members ?? address,
        'must have campaigns, collabs, members or an address',
      ),
    );
}

/** How a person removes what a declaration cannot. */
const removals: Partial<Readonly<Record<Kind['name'], string>>> = {
  members: 'mkt members remove ID',
  address: 'mkt address delete',
};

function keyMessage(key: string, kind: Kind | undefined): string {
  if (kind === undefined) return unknownKey(key, fileKeys);
  const { resource, states } = kind;
  const removal = /^(?:delete|remove)$/.test(key) ? removals[kind.name] : undefined;
  if (removal !== undefined) return `not here: a person runs ${removal}.`;
  return unknownKey(key, objectKeys(kind), {
    readOnly: fieldNames(resource.schema),
    place: ` in ${kind.name === 'address' ? 'an' : 'a'} ${resource.singular}`,
    // Campaigns have a status and collabs a state: the words differ too much for `nearest`.
    ...(kind.isDraft && /^(status|state)$/i.test(key) && { suggestion: states.field }),
  });
}

function problemsOf(issue: z.core.$ZodIssue, { positionOf, sourceOf }: Yaml): Problem[] {
  const { path } = issue;
  const [list, ...inner] = path;
  const named = allKinds.find(({ name }) => name === list);
  // The address is not in a list.
  const [index, field] = named?.name === 'address' ? [0, ...inner] : inner;
  const kind = index === undefined ? undefined : named;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ ...positionOf([...path, key], 'key'), message: keyMessage(key, kind) }));
  }
  if (list === undefined && issue.code === 'invalid_type') {
    const { input } = issue;
    const reason =
      input === null ? 'is empty' : `must be an object with ${fileKeys.join(', ')}, not ${typeName(input)}`;
    return [{ ...positionOf(path), message: `the file ${reason}.` }];
  }
  const subject = field ?? (kind === undefined ? (list ?? 'the file') : `a ${kind.resource.singular}`);
  return [{ ...positionOf(path), message: `${String(subject)} ${valueMessage(issue, sourceOf(path))}` }];
}

/**
 * Checks the declarations of a parsed file.
 * @param name what messages call the file @param folder the one that `brief: "@file"` may read; undefined for none
 * @throws an error with all problems
 */
export function declarationOf(yaml: Yaml, name: string, folder: string | undefined) {
  const { value, problems, notes } = withBriefs(yaml, folder);
  const { data, error } = fileSchema().safeParse(value, { reportInput: true, ...codesOnly });
  if (data === undefined || problems.length > 0) {
    const issues = error?.issues ?? [];
    throw invalidFile(name, [...problems, ...issues.flatMap((issue) => problemsOf(issue, yaml))]);
  }
  const declared = (kind: Kind, object: JsonObject, place: readonly PropertyKey[]): Declared => {
    const text = (key: string) => (object[key] === undefined ? undefined : String(object[key]));
    // zod returns the fields in the order of the schema.
    const given = Object.entries(valueAt(yaml.value, place.join('.')) ?? {});
    const fields = given.flatMap(([field, value]) => {
      if (field === PURGE_BANNER) return value === true ? [[BANNER, null]] : [];
      return field in kind.fields ? [[field, object[field]]] : [];
    });
    return {
      kind,
      id: text('id'),
      name: kind.isDraft ? text('name') : undefined,
      isDeleted: object.delete === true,
      isNew: object.create === true,
      fields: Object.fromEntries(fields),
      state: kind.isDraft ? text(kind.states.field) : undefined,
      positionOf: (field) => (field === undefined ? yaml.positionOf(place) : yaml.positionOf([...place, field], 'key')),
    };
  };
  const objects = allKinds.flatMap((kind) => {
    const { [kind.name]: given } = data as Readonly<Record<string, JsonObject | readonly JsonObject[] | undefined>>;
    if (given === undefined) return [];
    if (!Array.isArray(given)) return [declared(kind, given as JsonObject, [kind.name])];
    return given.map((object: JsonObject, index) => declared(kind, object, [kind.name, index]));
  });
  return { organization: data.organization, objects, notes };
}

/** Reads and checks a declaration. @throws an error with all problems of the file */
export async function readDeclaration({ path: file, name, label }: ReturnType<typeof fileOf>, { io }: Context) {
  const yaml = readYaml(await readText(file, label, io), (problems) => invalidFile(name, problems));
  return declarationOf(yaml, name, file === '-' ? resolve() : dirname(resolve(file)));
}
