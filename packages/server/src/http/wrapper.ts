import { isPurge, type RequestBody } from '@mkt/sdk/contract';
import { invalid } from '../rules/errors.js';
import { fieldsOf } from '../rules/fields.js';
import type { Body } from './body.js';
import { fieldKind } from './field-kind.js';
import { badRequest } from './problems.js';

/** The content of the wrapper before validation, with the flag and the file that may be next to it. */
export interface Wrapped {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly purge: boolean;
  /** A file, or the value that was sent instead; undefined if nothing was sent. */
  readonly file: unknown;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Converts the strings of a form to JSON values. `creates` decides the meaning of empty fields. */
export type ConvertFields = (
  sent: Wrapped['fields'],
  schema: RequestBody['fields'],
  creates: boolean,
) => Wrapped['fields'];

/**
 * Unwraps `{"campaign": {...}}`, or `campaign[name]` in a form, whose strings `convert` converts.
 * @throws 400 if the wrapper is missing or not an object, 422 for another value of the flag
 */
export function unwrap(
  body: Body,
  request: RequestBody,
  convert: (fields: Wrapped['fields']) => Wrapped['fields'],
): Wrapped {
  const isForm = body.kind === 'multipart' || body.kind === 'form';
  const whole = isForm ? formObject(body.form, request) : body.kind === 'json' ? body.value : {};
  const example = isForm ? `name the fields of the form ${request.wrapper}[...]` : `send {"${request.wrapper}": {...}}`;
  if (!isObject(whole)) throw badRequest(`The body must be a JSON object: ${example}.`);
  const { wrapper, purge: flag } = request;
  const inside = Object.hasOwn(whole, wrapper) ? whole[wrapper] : undefined;
  const isFlagSet = flag !== null && flagIn(whole, flag);
  if (inside === undefined) {
    if (request.optional === true || (request.optional === 'with-purge' && isFlagSet))
      return { fields: {}, purge: isFlagSet, file: undefined };
    throw badRequest(`The body must contain "${wrapper}": ${example}.`);
  }
  if (!isObject(inside)) throw badRequest(`"${wrapper}" must be an object: ${example}.`);
  const file = request.file !== null && isForm ? inside[request.file] || undefined : undefined;
  const fields = body.kind === 'form' ? convert(inside) : inside;
  return { fields, purge: isFlagSet || (flag !== null && flagIn(inside, flag)), file };
}

/** Clients say in many ways that nothing is removed. @throws 422 */
function flagIn(fields: Readonly<Record<string, unknown>>, flag: string): boolean {
  const value = Object.hasOwn(fields, flag) ? fields[flag] : undefined;
  if (isPurge(value) || !value || value === '0') return isPurge(value);
  throw invalid(flag, { code: 'not_listed', values: ['0', '1'] });
}

/**
 * Converts `organization[name]` to `{organization: {name}}`, and joins the values of a list. Ignores empty file fields:
 * browsers send them as a file without a name and content, other clients as empty text.
 */
export function formObject(form: FormData, { wrapper, fields }: RequestBody): Record<string, unknown> {
  // Without a prototype, because a field may be called `__proto__`.
  const whole: Record<string, unknown> = Object.create(null);
  const inside: Record<string, unknown> = Object.create(null);
  const schemas = fieldsOf(fields);
  for (const [name, value] of form) {
    if (typeof value !== 'string' && value.size === 0 && value.name === '') continue;
    const field = new RegExp(`^${wrapper}\\[([a-z_]+)\\]$`).exec(name)?.[1];
    if (field === undefined) whole[name] = value;
    else {
      const schema = Object.hasOwn(schemas, field) ? schemas[field] : undefined;
      const isList = schema !== undefined && fieldKind(schema).kind === 'list' && typeof value === 'string';
      inside[field] = isList ? [inside[field], value.trim()].filter(Boolean).join(', ') : value;
      whole[wrapper] = inside;
    }
  }
  return whole;
}
