import { hasKind } from '@mkt/sdk/contract';
import { platforms } from '@mkt/sdk/contract/resources';
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

/** How spreadsheets and people write true and false. */
const boolean = z.stringbool();

const platformNames: Readonly<Record<string, string>> = {
  ig: 'instagram',
  insta: 'instagram',
  x: 'twitter',
  yt: 'youtube',
};

/** `TikTok`, `You Tube` and `IG`; services may know other platforms, whose names are one word. */
function platformNamed(text: string): string | undefined {
  const word = text.toLowerCase().replaceAll(/[\s_.-]/g, '');
  const known = platforms.find((each) => each === word) ?? platformNames[word];
  return known ?? (/^[a-z0-9][\w-]*$/i.test(text) ? text.toLowerCase() : undefined);
}

const SEPARATOR = /[,;|\n]/;
/** These may be part of a name, such as that of Bosnia and Herzegovina. */
const JOINT = /\s*[/+&]\s*|\s+and\s+/i;

/** The items of a cell by their names. A part with an unknown name stays as it is, for the contract to reject. */
function namedItems(text: string, codeOf: (item: string) => string | undefined): string[] {
  return text.split(SEPARATOR).flatMap((given) => {
    const part = given.trim();
    if (part === '') return [];
    const codes = [codeOf(part) ?? part.split(JOINT).map(codeOf)].flat();
    return codes.every((code) => code !== undefined) ? codes : [part];
  });
}

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
  if (hasKind(fields, field, 'country')) return namedItems(bare, (item) => codeNamed('country', item));
  if (hasKind(fields, field, 'platform')) return [...new Set(namedItems(bare, platformNamed))];
  if (kind !== 'list') return text;
  return bare
    .split(SEPARATOR)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
