import * as contract from '@mkt/sdk/contract';
import * as z from 'zod/mini';
import { codesOf, fieldKinds, fieldNames, isListField, patternOf } from '../api/field-flags.js';
import type { SchemaName } from '../context/command.js';
import { usageError } from '../errors/cli-error.js';
import { codeMessage, codeProblem, type UnknownCode } from './codes.js';

const schemas: Readonly<Record<SchemaName, unknown>> = contract;

/** The code in the letter case that the pattern of the contract allows: `USD` is `usd`, `us` is `US`. */
function inLetterCase(pattern: RegExp, code: unknown): unknown {
  if (typeof code !== 'string') return code;
  const bare = code.trim();
  return [bare, bare.toLowerCase(), bare.toUpperCase()].find((each) => pattern.test(each)) ?? code;
}

type Report = (problem: UnknownCode, path: number[], input: unknown) => void;

/** The normalization of each field of a schema that holds a code, a slug, or a list of them. */
function normalizers(schema: SchemaName): Map<string, (value: unknown, report: Report) => unknown> {
  return new Map(
    fieldNames(schema).flatMap((field) => {
      const pattern = patternOf(schema, field);
      if (pattern === undefined) return [];
      const kind = codesOf(fieldKinds(schema), field);
      // Text instead of a list is not a wrong code.
      const isList = isListField(schema, field);
      const normalize = (value: unknown, report: Report, path: number[] = []): unknown => {
        if (Array.isArray(value)) return value.map((item, index) => normalize(item, report, [index]));
        const code = inLetterCase(pattern, value);
        const isCode = path.length > 0 || !isList;
        const problem = kind && isCode && typeof code === 'string' ? codeProblem(kind, code) : undefined;
        if (problem !== undefined) report(problem, path, code);
        return code;
      };
      return [[field, normalize]];
    }),
  );
}

/** A request schema of the contract that also accepts codes in another letter case, and rejects codes that do not exist. */
export function inputSchema(name: SchemaName) {
  const schema = schemas[name] as z.ZodMiniObject<Record<string, z.ZodMiniType>>;
  const fields = [...normalizers(name)].map(([field, normalize]) => {
    const normalized = z.transform((value, { issues }) =>
      normalize(value, (params, path, input) => issues.push({ code: 'custom', params: { ...params }, path, input })),
    );
    return [field, z.optional(z.pipe(normalized, schema.shape[field] ?? z.unknown()))] as const;
  });
  return z.extend(schema, Object.fromEntries(fields));
}

/** The fields of flags with normalized codes. @throws a usage error for a code that does not exist */
export function normalizedFields<Fields extends object>(schema: SchemaName, fields: Fields): Fields {
  const codes = normalizers(schema);
  const entries = Object.entries(fields).map(([field, value]) => [
    field,
    codes.get(field)?.(value, (problem) => {
      throw usageError((flag) => `${flag(field.replaceAll('_', '-'))} ${codeMessage(problem)}`);
    }) ?? value,
  ]);
  return { ...fields, ...Object.fromEntries(entries) };
}
