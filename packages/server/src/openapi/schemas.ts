import * as contract from '@mkt/sdk/contract';
import { type Description, type FieldKinds, hasKind, type Kind, type Schema } from '@mkt/sdk/contract';
import * as z from 'zod/mini';

/** A schema of OpenAPI 3.1, which is JSON Schema. */
export interface JsonSchema {
  type?: string | readonly string[];
  description?: string;
  format?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  [keyword: string]: unknown;
}

const names: ReadonlyMap<unknown, string> = new Map(Object.entries(contract).map(([name, value]) => [value, name]));

/** The name of a schema in the exports of the contract, such as `CampaignListItem`. */
export function schemaName(schema: Schema): string {
  const name = names.get(schema);
  if (name === undefined) throw new Error('Every schema of an endpoint has a name among the exports of the contract.');
  return name.charAt(0).toUpperCase() + name.slice(1).replace(/Representation$/, '');
}

/** What each field of a schema is; nothing for schemas that are not in the contract. */
export const fieldDescriptions = (schema: Schema): Readonly<Record<string, Description>> =>
  contract.descriptionsOf(names.get(schema) ?? '');

/** Names of the schemas of nested objects. */
const insideOf: Readonly<Record<string, string>> = { user: 'MemberUser' };

/** What the server promises of values in responses, which a client does not check. */
function promised(isA: (kind: Kind) => boolean, schema: JsonSchema): JsonSchema {
  if (schema.items) return { ...schema, items: promised(isA, schema.items as JsonSchema) };
  // URLs of this server. The others are as people typed them.
  if (isA('image') || (isA('url') && isA('identity'))) return { ...schema, format: 'uri' };
  if (isA('email')) return { ...schema, format: 'email' };
  if (isA('timestamp')) return { ...schema, format: 'date-time' };
  if (isA('currency')) return { ...schema, pattern: '^[a-z]{3}$' };
  if (isA('country')) return { ...schema, pattern: '^[A-Z]{2}$' };
  return (isA('amount') || isA('number')) && 'minimum' in schema ? { ...schema, minimum: 0 } : schema;
}

/** A field that removes an image. */
export const purgeSchema: JsonSchema = { type: ['string', 'integer', 'boolean'], enum: ['1', 1, true] };

function described(name: string, schema: JsonSchema, kinds: FieldKinds, isResponse: boolean): JsonSchema {
  const texts = contract.descriptionsOf(name);
  const properties = Object.entries(schema.properties ?? {}).map(([field, property]): [string, JsonSchema] => {
    const isA = (kind: Kind): boolean => hasKind(kinds, field, kind);
    const inside = insideOf[field];
    const typed = isResponse ? promised(isA, property) : { ...property, ...(isA('purge') && purgeSchema) };
    const whole = inside ? described(inside, typed, kinds[field] as FieldKinds, isResponse) : typed;
    const text = texts[field];
    return [field, text === undefined ? whole : { ...whole, description: contract.descriptionText(text) }];
  });
  const { additionalProperties: _, $schema: __, ...rest } = schema;
  return { ...rest, ...(properties.length > 0 && { properties: Object.fromEntries(properties) }) };
}

/**
 * A schema of the contract as JSON Schema. Unknown fields are allowed in responses (the service may grow) and ignored in
 * requests.
 */
export function jsonSchema(schema: Schema, { isResponse }: { readonly isResponse: boolean }): JsonSchema {
  const made = z.toJSONSchema(schema, {
    io: isResponse ? 'output' : 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema: made }) {
      // The contract reads ids as integers or strings; this server writes integers.
      if ((zodSchema as unknown) === contract.campaign.shape.id) {
        delete made.anyOf;
        made.type = 'integer';
        made.maximum = Number.MAX_SAFE_INTEGER;
      }
    },
  });
  return described(schemaName(schema), oneType(made as JsonSchema), contract.kindsOf(schema), isResponse);
}

/** `type: [string, null]` instead of `anyOf` with null, for client generators. */
function oneType(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  const [first, second] = (anyOf ?? []) as readonly JsonSchema[];
  const plain: JsonSchema =
    first && second?.type === 'null' && typeof first.type === 'string' && !first.enum
      ? { ...first, ...rest, type: [first.type, 'null'] }
      : schema;
  if (!plain.properties) return plain;
  return {
    ...plain,
    properties: Object.fromEntries(Object.entries(plain.properties).map(([name, of]) => [name, oneType(of)])),
  };
}
