import type { Issue } from './errors.js';
import type { Awaitable } from './options.js';

/** The part of Standard Schema that is used: https://standardschema.dev */
export interface StandardSchema<Output> {
  readonly '~standard': {
    readonly validate: (value: unknown) => Awaitable<SchemaResult<Output>>;
  };
}

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: SchemaPath | undefined }[] };

type SchemaPath = readonly (PropertyKey | { readonly key: PropertyKey })[];

/** What a schema makes of a value, or how the value differs. */
export async function parse<T>(
  schema: StandardSchema<T>,
  given: unknown,
): Promise<{ value: T; issues?: undefined } | { value?: undefined; issues: Issue[] }> {
  const checked = await schema['~standard'].validate(given);
  if (!checked.issues) return { value: checked.value };
  const issues = checked.issues.map(({ message, path: keys = [] }) => {
    const path = keys.map((part) => {
      const key = typeof part === 'object' ? part.key : part;
      return typeof key === 'symbol' ? String(key) : key;
    });
    const received = typeof path.reduce(
      (value: unknown, key) => (value as Record<string, unknown> | null)?.[key],
      given,
    );
    return { path, expected: message, received };
  });
  return { issues };
}
