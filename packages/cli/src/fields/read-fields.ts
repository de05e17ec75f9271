import { dirname } from 'node:path';
import { codesOnly, fieldsOfKind } from '@mkt/sdk/contract';
import { fieldKinds, fieldNames, fileFields, formatField } from '../api/field-flags.js';
import type { Command, FieldFlags } from '../context/command.js';
import type { Io } from '../io/io.js';
import { isObject, type JsonObject } from '../text/values.js';
import { formatProblem, isFileName } from './brief.js';
import { inputSchema } from './input-schema.js';
import { type Problem, problemsError, typeName, unknownKey, valueMessage } from './problems.js';
import { readText } from './read-input.js';
import { readYaml } from './read-yaml.js';

/**
 * The fields in a JSON or YAML file, or in stdin (`-`): bare, or under the name that the API gives them.
 * @throws an error with all problems of the file: unknown and read-only keys, and values that the contract rules out
 */
export async function readFields(
  path: string,
  fields: FieldFlags,
  { prints }: Pick<Command, 'prints'>,
  io: Io,
): Promise<JsonObject> {
  const name = path === '-' ? 'stdin' : path;
  const invalid = (problems: readonly Problem[]) =>
    problemsError(name, problems, { code: 'usage', message: 'Nothing was sent.' });
  const { value, positionOf, sourceOf } = readYaml(await readText(path, '--file', io), invalid);
  const { wrapper, schema } = fields;
  const isWrapped = isObject(value) && Object.keys(value).length === 1 && isObject(value[wrapper]);
  const start = isWrapped ? [wrapper] : [];
  const given = isWrapped ? value[wrapper] : value;
  if (!isObject(given)) {
    const message = `must be an object of fields, such as {"name": "Summer"}, not ${typeName(given)}.`;
    throw invalid([{ ...positionOf([]), message }]);
  }
  const kinds = fieldKinds(schema);
  const known = fileFields(fieldNames(schema), kinds);
  const readOnly = prints ? fieldNames(prints) : [];
  const problems = Object.keys(given).flatMap((key): Problem[] => {
    if (known.includes(key)) return [];
    const isUpload = key === fields.file;
    const message = isUpload
      ? `a ${key} cannot be in the file. Use --${key} FILE.`
      : unknownKey(key, known, { readOnly });
    return [{ ...positionOf([...start, key], 'key'), message }];
  });
  const { error } = inputSchema(schema).safeParse(given, { reportInput: true, ...codesOnly });
  for (const issue of error?.issues ?? []) {
    const field = String(issue.path[0]);
    // Flags may give the fields that are not in the file.
    if (!Object.hasOwn(given, field)) continue;
    const place = [...start, ...issue.path];
    problems.push({ ...positionOf(place), message: `${field} ${valueMessage(issue, sourceOf(place))}` });
  }
  for (const field of fieldsOfKind(kinds, 'richText')) {
    const { [field]: text, [formatField(field)]: format } = given;
    const problem = format === undefined ? undefined : formatProblem(format);
    if (problem !== undefined)
      problems.push({ ...positionOf([...start, formatField(field)]), message: `${formatField(field)} ${problem}` });
    if (!isFileName(text, '.', path === '-' ? '.' : dirname(path))) continue;
    const flag = `--${field.replaceAll('_', '-')} @${String(text).trim().replace(/^@/, '')}`;
    problems.push({
      ...positionOf([...start, field]),
      message: `${field} is the name of a file. To send its text: ${flag}.`,
    });
  }
  if (problems.length > 0) throw invalid(problems);
  return given;
}
