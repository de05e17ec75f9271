import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { isBlank } from '@mkt/sdk/contract';
import * as z from 'zod/mini';
import { fieldNames } from '../../api/field-flags.js';
import { textOf } from '../../config/text-of.js';
import type { Context } from '../../context/context.js';
import { CliError, usageError } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import {
  type Problem as FileProblem,
  problemsError,
  typeName,
  unknownKey,
  valueMessage,
} from '../../shared/fields/problems.js';
import { readNamedFile, readText } from '../../shared/fields/read-input.js';
import { type Position, readYaml, type Yaml } from '../../shared/fields/read-yaml.js';
import { isObject, type JsonObject } from '../../text/json.js';
import { nearest } from '../../text/nearest.js';
import { type Kind, kinds } from './kinds.js';

export interface Problem extends FileProblem {
  /** Whether the service does not have the declared id. */
  readonly notFound?: boolean;
}

/** One campaign or collab as the file declares it. */
export interface Declared {
  readonly kind: Kind;
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** The fields to send; null clears one. */
  readonly fields: Readonly<JsonObject>;
  readonly state: string | undefined;
  /** Whether its banner is to be removed. */
  readonly noBanner: boolean;
  /** The position of a declared field, or else of the whole object. */
  readonly positionOf: (field?: string) => Position;
}

export interface Declaration {
  /** Id or exact name. */
  readonly organization: string | undefined;
  readonly objects: readonly Declared[];
}

/** The write-only field of collabs that removes the banner. */
export const PURGE_BANNER = 'purge_banner_image';

/** All problems of a file in one error. Its exit code is 3 if the only problems are ids that were not found. */
export const invalidFile = (file: string, problems: readonly Problem[]): CliError =>
  problemsError(
    file,
    problems.map(({ notFound: _, ...problem }) => problem),
    {
      message: 'Nothing was changed.',
      ...(problems.every(({ notFound }) => notFound === true)
        ? { code: 'not_found', exitCode: exitCodes.notFound }
        : { code: 'usage', exitCode: exitCodes.usage }),
    },
  );

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

const didYouMean = (word: string | undefined): string => (word === undefined ? '' : ` Did you mean ${word}?`);

const identifier = (message: string) =>
  z.optional(
    z.pipe(
      z
        .unknown()
        .check(
          z.refine(
            (value) => (typeof value === 'string' ? !isBlank(value) : Number.isSafeInteger(value) && Number(value) > 0),
            message,
          ),
        ),
      z.transform(String),
    ),
  );

/** A field of the contract. Blank text becomes null where the field can be null, as the service stores it. */
const fieldSchema = (name: string, schema: z.ZodMiniType, folder: string) =>
  z.optional(
    z.pipe(
      z.transform((value, { issues }) => {
        if (typeof value !== 'string') return value;
        let text = value;
        try {
          if (name === 'brief' && value.startsWith('@')) text = readReference(value, folder);
        } catch (error) {
          if (!(error instanceof CliError)) throw error;
          issues.push({ code: 'custom', message: error.message, input: value });
        }
        return isBlank(text) && schema.safeParse(null).success ? null : text;
      }),
      schema,
    ),
  );

const knownKeys = ({ fields, states }: Kind): string[] => ['id', ...Object.keys(fields), states.field];
const topKeys = ['organization', ...kinds.map(({ name }) => name)];

const fileSchema = z.strictObject(
  {
    organization: identifier('must be an id or an exact name'),
    campaigns: z.optional(z.array(z.unknown(), 'must be a list')),
    collabs: z.optional(z.array(z.unknown(), 'must be a list')),
  },
  { error: ({ input }) => `must be an object with ${topKeys.join(', ')}, not ${typeName(input)}` },
);

function objectSchema({ fields, states, resource }: Kind, folder: string) {
  const schemas = Object.entries(fields).map(([name, schema]) => [name, fieldSchema(name, schema, folder)] as const);
  const shape = {
    ...Object.fromEntries(schemas),
    ...(PURGE_BANNER in fields && { [PURGE_BANNER]: z.optional(z.boolean('must be true or false')) }),
    id: identifier(`must be the id of an existing ${resource.singular}`),
    [states.field]: z.optional(
      z.enum([...states.names], {
        error: ({ input }) =>
          `must be one of ${states.names.join(', ')}.${didYouMean(nearest(String(input), states.names))}`,
      }),
    ),
  };
  return z.strictObject(shape, 'must be an object of fields, such as {name: Summer, cpm_amount: 500}');
}

function keyMessage(key: string, kind: Kind | undefined): string {
  if (kind === undefined) return unknownKey(key, topKeys);
  const { resource, states } = kind;
  return unknownKey(key, knownKeys(kind), {
    readOnly: fieldNames(resource.schema),
    place: ` in a ${resource.singular}`,
    // Campaigns have a status and collabs a state: the words differ too much for `nearest`.
    ...(/^(status|state)$/i.test(key) && { suggestion: states.field }),
  });
}

type Path = readonly PropertyKey[];

/** The problems of a value at `path`; `kind` if it is a campaign or a collab. */
const schemaProblems = (
  error: z.core.$ZodError | undefined,
  path: Path,
  kind: Kind | undefined,
  { positionOf, sourceOf }: Yaml,
): Problem[] =>
  (error?.issues ?? []).flatMap((issue): Problem[] => {
    const place = [...path, ...issue.path];
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ ...positionOf([...place, key], 'key'), message: keyMessage(key, kind) }));
    }
    const subject = issue.path[0] ?? (kind === undefined ? 'the file' : `a ${kind.resource.singular}`);
    return [{ ...positionOf(place), message: `${String(subject)} ${valueMessage(issue, sourceOf(place))}` }];
  });

/** One object of the file. */
function readObject(kind: Kind, value: unknown, path: Path, folder: string, yaml: Yaml): Declared | Problem[] {
  const { data, error } = objectSchema(kind, folder).safeParse(value, { reportInput: true });
  const checked: JsonObject | undefined = data;
  if (checked === undefined || !isObject(value)) return schemaProblems(error, path, kind, yaml);
  const { id, [kind.states.field]: state, [PURGE_BANNER]: purge } = checked;
  // In the order of the file, as the plan shows them.
  const names = Object.keys(value).filter((name) => name in kind.fields && name !== PURGE_BANNER);
  const fields: JsonObject = Object.fromEntries(names.map((name) => [name, checked[name]]));
  return {
    kind,
    id: id === undefined ? undefined : String(id),
    name: fields.name === undefined ? undefined : String(fields.name),
    fields,
    state: state === undefined ? undefined : String(state),
    noBanner: purge === true,
    positionOf: (field) =>
      field !== undefined && Object.hasOwn(value, field)
        ? yaml.positionOf([...path, field], 'key')
        : yaml.positionOf(path),
  };
}

/** Objects without id and name, the same id twice, and the same name twice where it has to be unique. */
function identityProblems(objects: readonly Declared[]): Problem[] {
  return objects.flatMap((object, index): Problem[] => {
    const { kind, id, name, positionOf } = object;
    const { singular, plural } = kind.resource;
    if (id === undefined && name === undefined) {
      return [{ ...positionOf(), message: `this ${singular} needs an id or a name.` }];
    }
    const before = (test: (other: Declared) => boolean): Declared | undefined =>
      objects.find((other, at) => at < index && other.kind === kind && test(other));
    const sameId = before((other) => id !== undefined && other.id === id);
    if (sameId !== undefined) {
      const message = `${singular} ${id} is already declared on line ${sameId.positionOf().line}.`;
      return [{ ...positionOf('id'), message }];
    }
    const sameName = before((other) => other.name === name && (other.id === undefined || id === undefined));
    if (name === undefined || sameName === undefined) return [];
    const { line } = sameName.positionOf();
    const message = `two ${plural} have the name "${name}", the first on line ${line}. Add the id of each.`;
    return [{ ...positionOf('name'), message }];
  });
}

/**
 * Reads and checks a declaration.
 * @param label what messages call the file: `--file`
 * @throws an error with all problems of the file
 */
export async function readDeclaration(file: string, label: string, { io }: Context): Promise<Declaration> {
  const name = file === '-' ? 'stdin' : file;
  const read = readYaml(await readText(file, label, io));
  if ('problems' in read) throw invalidFile(name, read.problems);
  const start = read.positionOf([]);
  if (read.isEmpty) throw invalidFile(name, [{ ...start, message: 'the file is empty.' }]);
  const { value } = read;
  const folder = file === '-' ? resolve() : dirname(resolve(file));
  const { data, error } = fileSchema.safeParse(value, { reportInput: true });
  const results = kinds.flatMap((kind) => {
    const list = isObject(value) ? value[kind.name] : undefined;
    const items: readonly unknown[] = Array.isArray(list) ? list : [];
    return items.map((item, index) => readObject(kind, item, [kind.name, index], folder, read));
  });
  const objects = results.flatMap((result) => (Array.isArray(result) ? [] : result));
  const found = results.flatMap((result) => (Array.isArray(result) ? result : []));
  const problems = [...schemaProblems(error, [], undefined, read), ...found, ...identityProblems(objects)];
  if (problems.length > 0 || data === undefined) throw invalidFile(name, problems);
  if (data.campaigns === undefined && data.collabs === undefined) {
    throw invalidFile(name, [{ ...start, message: 'the file declares nothing. Add a list of campaigns or collabs.' }]);
  }
  return { organization: data.organization, objects };
}
