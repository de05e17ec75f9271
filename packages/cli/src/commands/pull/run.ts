import { hasKind } from '@mkt/sdk/contract/resources';
import { isHtml } from '@mkt/server/brief-html';
import { version } from '../../../package.json';
import { withErrorContext } from '../../api/errors/with-context.js';
import { countOf, type DraftResource, drafts } from '../../api/labels.js';
import { operationsOf } from '../../api/operations.js';
import type { Context, Organization } from '../../context/context.js';
import { declarationUrl } from '../../declarations/kinds.js';
import { inputSchema } from '../../fields/input-schema.js';
import { labelOf } from '../../lists/connection.js';
import { readEach, readWholeList, wholeListConcurrency } from '../../lists/whole-list.js';
import { formatOfFile } from '../../output/file-format.js';
import { writeTo } from '../../output/file-target.js';
import { cellText, idValue, jsonText, type Row, sanitizeLine, valueAt } from '../../text/values.js';
import { cutTo } from '../../text/width.js';
import { yamlText } from '../../text/yaml.js';

/** In a `div`, which changes nothing, `mkt apply` reads text without tags neither as Markdown nor as `@file`. */
const safeBrief = (value: unknown): unknown =>
  typeof value === 'string' && value.trim() !== '' && (value.startsWith('@') || !isHtml(value))
    ? `<div>${value}</div>`
    : value;

/** Declares rows of a resource with the fields that can be written, if the service would accept their values. */
function declarer(resource: DraftResource, context: Context) {
  const { states, changes } = resource;
  const { name: nameSchema, ...fields } = inputSchema(changes).shape;
  const schemas = { name: nameSchema, ...fields };
  return (row: Row): Record<string, unknown> => {
    const declared: Record<string, unknown> = { id: valueAt(row, 'id') };
    const unusable: string[] = [];
    const leaveOut = (field: string, value: unknown) =>
      unusable.push(`${field} ${cutTo(sanitizeLine(cellText(value)), 40)}`.trimEnd());
    for (const [field, fieldSchema] of Object.entries(schemas)) {
      const value = valueAt(row, field);
      if (value === undefined) continue;
      if (fieldSchema?.safeParse(value).success)
        declared[field] = hasKind(resource.fields, field, 'richText') ? safeBrief(value) : value;
      else leaveOut(field, value);
    }
    const state = valueAt(row, states.field);
    if (states.names.some((name) => name === state)) declared[states.field] = state;
    else leaveOut(states.field, state);
    if (unusable.length > 0) {
      const what = unusable.join(', ');
      context.warn(`Left out of ${labelOf(resource, row)}, because mkt apply does not accept it: ${what}.`);
    }
    return declared;
  };
}

/** The texts of a declaration, in the order of the file; `first` and `empty` are about the rows of a list. */
interface DeclarationFormat {
  readonly head: (organization: Organization, name: string) => string;
  readonly row: (list: string, row: object, first: boolean) => string;
  readonly listEnd: (list: string, empty: boolean) => string;
  readonly end: string;
}

const indented = (text: string, indent: string): string => text.trimEnd().replaceAll(/^(?=.)/gm, indent);

const formats: Readonly<Record<'yaml' | 'json', DeclarationFormat>> = {
  yaml: {
    head: ({ id }, name) =>
      `# yaml-language-server: $schema=${declarationUrl(version)}\n# ${name}, as mkt apply reads it.\n${yamlText({ organization: idValue(id) })}`,
    row: (list, row, first) => `${first ? `${list}:\n` : ''}${indented(yamlText([row]), '  ')}\n`,
    listEnd: (list, empty) => (empty ? `${list}: []\n` : ''),
    end: '',
  },
  json: {
    head: ({ id }) =>
      `{\n  "$schema": ${JSON.stringify(declarationUrl(version))},\n  "organization": ${JSON.stringify(idValue(id))}`,
    row: (list, row, first) => `${first ? `,\n  "${list}": [` : ','}\n${indented(jsonText(row), '    ')}`,
    listEnd: (list, empty) => (empty ? `,\n  "${list}": []` : '\n  ]'),
    end: '\n}\n',
  },
};

interface PullFlags {
  readonly out?: string;
}

/** The format of `--format` or `--json`, else that of the file. Other formats are rejected for every pull. */
function formatFor(context: Context, out: string | undefined): DeclarationFormat {
  const given =
    context.options.format === 'json' || context.options.format === 'yaml' ? context.options.format : undefined;
  const possible = ['yaml', 'json'] as const;
  const named =
    out === undefined ? given : formatOfFile(out, { given, fallback: 'yaml', possible, command: 'mkt pull' });
  return formats[named === 'json' ? 'json' : 'yaml'];
}

/** Writes the declaration of an organization row by row, so that memory use does not grow with it. */
export async function pullDeclaration(context: Context, flags: PullFlags): Promise<void> {
  const out = flags.out === '-' ? undefined : flags.out;
  const { head, row: rowText, listEnd, end } = formatFor(context, out);
  const organization = await context.organization();
  const client = (await context.client()).withOptions({ maxConcurrency: wholeListConcurrency });
  const counts: string[] = [];
  await writeTo({ path: out, stdout: context.stdout, example: 'brand.yaml' }, async (sink) => {
    await sink.write(head(organization, sanitizeLine(await organization.name())));
    for (const resource of Object.values(drafts)) {
      const operations = operationsOf(resource, client, organization.id, { signal: context.signal });
      const declare = declarer(resource, context);
      let count = 0;
      let listed = 0;
      await withErrorContext(context, { action: 'list', resource, organization }, () =>
        context.withProgress(`Listing ${resource.plural}`, async (progress) => {
          const open = () => context.journal.open(context.settings.requiredBaseUrl, organization.id, resource.command);
          const ids = await readWholeList(context, resource, operations.list, () => undefined, { progress, open });
          listed = ids.size;
          progress.label = `Pulling ${resource.plural}`;
          progress.update(0, listed);
          for await (const row of readEach(ids.keys(), operations.get)) {
            await sink.write(rowText(resource.name, declare(row), count === 0));
            count += 1;
            progress.update(count, listed);
          }
          await sink.write(listEnd(resource.name, count === 0));
        }),
      );
      if (count < listed) context.warn(`Left out ${countOf(resource, listed - count)} deleted during the pull.`);
      counts.push(countOf(resource, count));
    }
    await sink.write(end);
  });
  if (out !== undefined) {
    context.note(`Pulled ${counts.join(' and ')} of ${await organization.name()} to ${out}.`);
  }
}
