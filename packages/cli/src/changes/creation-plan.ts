import { codesOnly } from '@mkt/sdk/contract';
import { fieldNames } from '../api/field-flags.js';
import type { SchemaName } from '../context/command.js';
import { CliError, type Message, messageText } from '../errors/cli-error.js';
import { inputSchema } from '../fields/input-schema.js';
import { asField, exceededRanges, valueMessage } from '../fields/problems.js';
import type { Connection } from '../lists/connection.js';
import { detailView, shownFields } from '../lists/presenter.js';
import { type Row, sanitizeLine, textAt, valueAt } from '../text/values.js';
import { cutTo } from '../text/width.js';

/** @throws an error with all fields that the service would reject */
function checkFields(schema: SchemaName, given: Row, { shown: { resource } }: Connection, row: Row): void {
  const reasons: Record<string, Message[]> = {};
  const report = (field: string, message: Message): void => {
    reasons[field] = [...(reasons[field] ?? []), message];
  };
  const { error } = inputSchema(schema).safeParse(given, { reportInput: true, ...codesOnly });
  for (const issue of error?.issues ?? []) report(String(issue.path[0] ?? ''), valueMessage(issue));
  for (const { min, message } of exceededRanges(resource, (field) => valueAt(row, field))) report(min, message);
  const fields = Object.entries(reasons).map(([field, messages]) => [
    field,
    messages.map((each) => messageText(each, asField)),
  ]);
  const count = fields.length;
  if (count === 0) return;
  const subject = count === 1 ? 'One field' : `${count} fields`;
  throw new CliError({
    code: 'rejected',
    message: `${subject} would be rejected.`,
    fields: Object.fromEntries(fields),
    reasons,
  });
}

/** Shows what would be created from these fields, and sends nothing. @param remark what is not in the fields */
export async function showCreations(
  connection: Connection,
  schema: SchemaName,
  creations: readonly Row[],
  { action = 'create', remark }: { readonly action?: string | undefined; readonly remark?: string | undefined } = {},
): Promise<void> {
  const { context, shown } = connection;
  const { resource } = shown;
  const { singular, plural, states, defaults, title } = resource;
  const order = fieldNames(resource.schema);
  const rows = creations.map((fields) => {
    const known = { ...(states && { [states.field]: states.initial }), ...(remark === undefined && defaults) };
    const row: Row = { ...known, ...shownFields(fields) };
    checkFields(schema, fields, connection, row);
    const names = Object.keys(row).sort((one, other) => order.indexOf(one) - order.indexOf(other));
    return Object.fromEntries(names.map((name) => [name, valueAt(row, name)]));
  });
  const [only = {}] = rows;
  const name = cutTo(sanitizeLine(textAt(only, title)), 50);
  const one = name === '' ? `${/^[aeiou]/.test(singular) ? 'an' : 'a'} ${singular}` : `${singular} "${name}"`;
  context.note(`Would ${action} ${rows.length === 1 ? one : `${rows.length} ${plural}`}${await connection.where()}:`);
  if (remark !== undefined) context.note(remark);
  if (rows.length === 1) await context.print.row(only, detailView(shown));
  else await context.print.rows([rows], detailView(shown));
}
