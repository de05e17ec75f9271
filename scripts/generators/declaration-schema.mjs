// packages/cli/declaration.schema.json: what `mkt apply` reads, for editors.
import { readFileSync } from 'node:fs';
import { fromSource } from '../lib/from-source.mjs';

export const output = 'packages/cli/declaration.schema.json';
/** The descriptions of fields. */
export const readsOutputs = true;

const identifier = (description) => ({ type: ['integer', 'string'], description });
const object = (properties, more = {}) => ({ type: 'object', properties, additionalProperties: false, ...more });

/** What a declaration does with these fields, and a request does not. */
const ownFields = {
  brief: { description: 'The brief as Markdown or HTML, or "@file" for the text of a file.' },
  brief_format: {
    enum: ['html', 'markdown', 'text'],
    description: 'How the brief is written, if neither the ending of its file nor its start shows it.',
  },
  purge_banner_image: { type: 'boolean', enum: undefined, description: 'Removes the banner.' },
};

export async function generate() {
  const { kinds, declarationUrl, fileFields, jsonSchema, ...contract } = await fromSource(
    'packages/sdk/src/contract/index.ts',
    'packages/server/src/openapi/schemas.ts',
    'packages/cli/src/declarations/kinds.ts',
    'packages/cli/src/api/field-flags.ts',
  );
  const fieldsOf = ({ fields, resource }, schema) => {
    const { properties } = jsonSchema(contract[schema], { isResponse: false });
    return Object.fromEntries(
      fileFields(Object.keys(fields), resource.fields).map((field) => [
        field,
        { ...properties[field], ...ownFields[field] },
      ]),
    );
  };
  const draft = (kind) => {
    const { resource, states } = kind;
    const { singular } = resource;
    const properties = {
      id: identifier(`Of an existing ${singular}. Without it, the name finds it, or a new one is created.`),
      ...fieldsOf(kind, resource.changes),
      [states.field]: { enum: states.names, description: `The ${states.field} that the ${singular} should have.` },
      create: {
        const: true,
        description: `Creates it although another ${singular} has almost the same name.`,
      },
      delete: {
        const: true,
        description: `Deletes the ${singular}, which must be a draft. Only its id is given, too.`,
      },
    };
    return object(properties, { anyOf: [{ required: ['id'] }, { required: ['name'] }] });
  };
  const { version } = JSON.parse(readFileSync('packages/cli/package.json', 'utf8'));
  const list = (items) => ({ type: 'array', items });
  const member = {
    id: identifier('Id or e-mail address of the member.'),
    ...fieldsOf(kinds.members, 'membershipChanges'),
  };
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: declarationUrl(version),
    title: 'What `mkt apply` reads',
    ...object({
      $schema: { type: 'string' },
      organization: identifier('Id or exact name of the organization.'),
      campaigns: list(draft(kinds.campaigns)),
      collabs: list(draft(kinds.collabs)),
      members: list(object(member, { required: ['id'] })),
      address: object(fieldsOf(kinds.address, 'addressFields')),
    }),
  };
  return [JSON.stringify(schema, null, 2), ''];
}
