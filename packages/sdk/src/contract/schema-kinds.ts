import type { Schema } from './endpoint.js';
import type { FieldKinds } from './kinds.js';
import { kindsIn } from './resources.js';
import { endpoints } from './table.js';

const kinds: ReadonlyMap<Schema, FieldKinds> = new Map(
  endpoints.flatMap(({ operation, request, response }) =>
    [request?.fields, response].flatMap((schema) => (schema ? [[schema, kindsIn(operation)] as const] : [])),
  ),
);

/** What the fields of a request or a response are. Schemas of endpoints that are not in the contract have none. */
export const kindsOf = (schema: Schema): FieldKinds => kinds.get(schema) ?? {};
