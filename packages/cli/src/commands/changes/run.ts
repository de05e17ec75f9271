import { fieldNames } from '../../api/field-flags.js';
import { address, drafts, isNamed, members, organizations, type Resource } from '../../api/labels.js';
import type { Invocation } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import { placeFlags } from '../../context/next-command.js';
import { usageError } from '../../errors/cli-error.js';
import { pastTime, timeFrom } from '../../fields/past-time.js';
import {
  changeFields,
  changesIn,
  countText,
  type RecordedChange,
  subjectOf,
  valuesText,
  withoutTimes,
} from '../../history/changes.js';
import { serviceNow } from '../../history/clock.js';
import type { HistoryFile } from '../../history/database.js';
import { placeOf, withHistory } from '../../history/open.js';
import type { View } from '../../output/view.js';
import { clock, timeZone } from '../../text/local-time.js';
import { didYouMean, nearest } from '../../text/nearest.js';
import { sanitizeLine } from '../../text/sanitize.js';

const view: View = {
  columns: [
    { field: 'at', header: 'WHEN', priority: 0, whole: true },
    { field: 'what', header: 'WHAT', priority: 0 },
    { field: 'change', header: 'CHANGE', priority: 0 },
    { field: 'by', header: 'BY', priority: 1 },
  ],
  fields: changeFields,
};

/** A change as a row of the table. */
const cells = (change: RecordedChange) => ({
  at: clock(change.at),
  what: subjectOf(change),
  change: valuesText(change),
  by: change.by,
});

const recorded = [drafts.campaigns, drafts.collabs, members, organizations];

/** @throws a usage error for a field that no resource has */
function checkField(file: HistoryFile, field: string, resource: Resource | undefined): void {
  const named = resource === undefined ? [...recorded, address] : [resource];
  const fields = [...new Set(named.flatMap(({ schema }) => fieldNames(schema)))];
  // The service may have others.
  if (fields.includes(field) || file.all('select 1 from changes where field = ? limit 1', field).length > 0) return;
  const suggestion = nearest(field, fields);
  const hints = suggestion === undefined ? [`Fields: ${fields.join(', ')}`] : [];
  const question = didYouMean(suggestion);
  throw usageError(`--field ${sanitizeLine(field)} is unknown.${question}`, ...hints);
}

export async function showChanges(
  context: Context,
  { args: [word, id], flags: { since = '7d', field } }: Invocation & { flags: { since?: string; field?: string } },
): Promise<void> {
  const resource = word === undefined ? undefined : recorded.find((each) => isNamed(each, word));
  if (word !== undefined && resource === undefined)
    throw usageError(`"${word}" has no history.`, `One of: ${recorded.map(({ command }) => command).join(', ')}`);
  // Checked before anything is requested.
  timeFrom('since', since, context.io.now());
  const organization = await context.organization();
  const place = placeOf(context, organization);
  const { print, options } = context;
  const isTable = print.isHumanReadable && options.jq === undefined && options.fields === undefined;
  const { start, found, readings } = await withHistory(context, (file) => {
    const start = new Date(pastTime('since', since, serviceNow(context, file, place.host))).toISOString();
    if (field !== undefined) checkField(file, field, resource);
    const all = changesIn(file, { ...place, since: start, resource: resource?.command, id, field });
    return {
      start,
      found: isTable ? withoutTimes(all) : all,
      readings: file.all(
        'select 1 from observations where host = ? and organization_id = ? limit 2',
        place.host,
        place.organization,
      ).length,
    };
  });
  await print.rows([isTable ? found.map(cells) : found], view);
  const name = await organization.name();
  if (print.isHumanReadable) context.note(`${countText(found.length)} in ${name} since ${clock(start)} ${timeZone()}.`);
  if (readings < 2)
    context.note(
      `To record changes that others make: mkt watch --once${placeFlags(context)} (again later, or in cron)`,
    );
}
