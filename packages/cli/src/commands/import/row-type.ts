import { hasKind } from '@mkt/sdk/contract';
import { namesIn, platformNamed } from '@mkt/server/codes';
import * as z from 'zod/mini';
import { fieldFlags, fieldNames } from '../../api/field-flags.js';
import type { DraftResource } from '../../api/labels.js';
import type { Flag } from '../../context/flags.js';
import { codeNamed } from '../../fields/codes.js';
import { inputSchema } from '../../fields/input-schema.js';

/** The resource that rows become, and the fields that they can set. */
export type RowType = ReturnType<typeof rowTypeOf>;

export function rowTypeOf(resource: DraftResource) {
  const { schema, creation, computed } = resource;
  // Switches remove images, which a new resource does not have.
  const flags = fieldFlags({ schema: creation, wrapper: '', partial: false }).filter(({ kind }) => kind !== 'switch');
  const fields = new Map(flags.map((flag) => [flag.field ?? '', flag]));
  /** Fields that only the service sets, and computed ones; exported files contain them. */
  const readOnly = [...fieldNames(schema), ...fieldNames(creation), ...Object.keys(computed)].filter(
    (field) => !fields.has(field),
  );
  return { resource, schema: inputSchema(creation), fields, readOnly };
}

const boolean = z.stringbool();

/** `instagram` for `IG`; services may know other platforms, whose names are one word. */
const platformOf = (text: string): string | undefined =>
  platformNamed(text) ?? (/^[a-z0-9][\w-]*$/i.test(text) ? text.toLowerCase() : undefined);

/** A cell as a value of its field's type. Text that cannot be converted stays text, which the contract then rejects. */
export function valueOfCell(
  text: string,
  { field = '', kind }: Pick<Flag, 'field' | 'kind'>,
  { resource }: RowType,
): unknown {
  const { fields } = resource;
  const bare = text.trim();
  if (kind === 'integer') return /^[+-]?\d+$/.test(bare) ? Number(bare) : text;
  if (kind === 'boolean') return boolean.safeParse(bare).data ?? text;
  if (hasKind(fields, field, 'currency')) return codeNamed('currency', bare) ?? text;
  // What has an unknown name stays as it is, for the contract to reject.
  if (hasKind(fields, field, 'country')) {
    const codeOf = (name: string) => codeNamed('country', name);
    return namesIn(bare, (name) => codeOf(name) !== undefined).map((name) => codeOf(name) ?? name);
  }
  if (hasKind(fields, field, 'platform')) {
    const names = namesIn(
      bare,
      (name) => platformNamed(name) !== undefined,
      (name) => platformOf(name) !== undefined,
    );
    return [...new Set(names.map((name) => platformOf(name) ?? name))];
  }
  if (kind !== 'list') return text;
  return bare
    .split(/[,;|\n]/)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
