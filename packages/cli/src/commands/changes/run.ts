import { drafts, isNamed, members, organizations } from '../../api/resources.js';
import type { Invocation } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import { placeFlags } from '../../context/next-command.js';
import { usageError } from '../../errors/cli-error.js';
import type { View } from '../../output/view.js';
import {
  changeFields,
  changesIn,
  clock,
  type RecordedChange,
  subjectOf,
  valueText,
} from '../../shared/history/changes.js';
import { placeOf, withHistory } from '../../shared/history/open.js';
import { pastTime } from '../../shared/past-time.js';

const view: View = {
  columns: [
    { field: 'at', header: 'WHEN', priority: 0, whole: true },
    { field: 'what', header: 'WHAT', priority: 0 },
    { field: 'field', header: 'FIELD', priority: 0 },
    { field: 'before', header: 'BEFORE', priority: 1 },
    { field: 'after', header: 'AFTER', priority: 1 },
    { field: 'by', header: 'BY', priority: 2 },
  ],
  fields: changeFields,
};

/** A change as a row of the table: one that was created or deleted has no single value. */
const cells = (change: RecordedChange) => {
  const { at, kind, field, before, after, by } = change;
  const values = kind === 'changed' ? { before: valueText(before), after: valueText(after) } : {};
  return { at: clock(at), what: subjectOf(change), field: field ?? kind, ...values, by };
};

const recorded = [drafts.campaigns, drafts.collabs, members, organizations];

export async function showChanges(
  context: Context,
  { args: [word, id], flags: { since = '7d', field } }: Invocation & { flags: { since?: string; field?: string } },
): Promise<void> {
  const resource = word === undefined ? undefined : recorded.find((each) => isNamed(each, word));
  if (word !== undefined && resource === undefined)
    throw usageError(`"${word}" has no history.`, `One of: ${recorded.map(({ command }) => command).join(', ')}`);
  const start = new Date(pastTime('since', since, context.io.now())).toISOString();
  const organization = await context.organization();
  const place = placeOf(context, organization);
  const { found, readings } = await withHistory(context, (file) => ({
    found: changesIn(file, { ...place, since: start, resource: resource?.command, id, field }),
    readings: file.all(
      'select 1 from observations where host = ? and organization_id = ? limit 2',
      place.host,
      place.organization,
    ).length,
  }));
  const { print, options } = context;
  const isTable = print.isHumanReadable && options.jq === undefined && options.fields === undefined;
  await print.rows([isTable ? found.map(cells) : found], view);
  const name = await organization.name();
  const count = found.length === 0 ? 'No changes' : found.length === 1 ? '1 change' : `${found.length} changes`;
  if (print.isHumanReadable) context.note(`${count} in ${name} since ${clock(start)} UTC.`);
  if (readings < 2)
    context.note(
      `To record changes that others make: mkt watch --once${placeFlags(context)} (again later, or in cron)`,
    );
}
