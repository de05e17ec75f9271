import { fieldNames } from '../../api/field-flags.js';
import { address, drafts, isNamed, members, organizations, type Resource } from '../../api/labels.js';
import type { Invocation } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import { unknownName, usageError } from '../../errors/cli-error.js';
import { pastTime, timeFrom } from '../../fields/past-time.js';
import { changeCells, changeColumns, changeFields, changesIn, countText } from '../../history/changes.js';
import { serviceNow } from '../../history/clock.js';
import { type HistoryFile, placeOf, withHistory } from '../../history/database.js';
import { readingCount } from '../../history/series.js';
import type { View } from '../../output/view.js';
import { formats } from '../../text/formats.js';
import { clock, timeZone } from '../../text/local-time.js';
import { sanitizeLine } from '../../text/values.js';

interface ChangesFlags {
  readonly since?: string;
  readonly field?: readonly string[];
  readonly 'all-fields'?: boolean;
  readonly 'made-by'?: 'me' | 'elsewhere';
}

const columns = changeColumns.map((each) => ({ ...each, header: each.header.toUpperCase() }));
const view: View = { columns, fields: changeFields };

const recorded = [drafts.campaigns, drafts.collabs, members, organizations];

/** @throws a usage error for a field that no resource has */
function checkField(file: HistoryFile, field: string, resource: Resource | undefined): void {
  const named = resource === undefined ? [...recorded, address] : [resource];
  const fields = [...new Set(named.flatMap(({ schema }) => fieldNames(schema)))];
  // The service may have others.
  if (fields.includes(field) || file.all('select 1 from changes where field = ? limit 1', field).length > 0) return;
  throw unknownName(`--field ${sanitizeLine(field)} is unknown.`, field, fields);
}

export async function showChanges(
  context: Context,
  { args: [word, id], flags }: Omit<Invocation, 'flags'> & { readonly flags: ChangesFlags },
): Promise<void> {
  const { since = '7d', field: fields, 'all-fields': allFields, 'made-by': madeBy } = flags;
  if (fields !== undefined && allFields) throw usageError('--field and --all-fields cannot be used together.');
  const resource = word === undefined ? undefined : recorded.find((each) => isNamed(each, word));
  if (word !== undefined && resource === undefined)
    throw usageError(`"${word}" has no history.`, `One of: ${recorded.map(({ command }) => command).join(', ')}`);
  // Checked before anything is requested.
  timeFrom('since', since, context.io.now());
  const organization = await context.organization();
  const place = placeOf(context, organization);
  const { print } = context;
  const { start, found, readings } = await withHistory(context, (file) => {
    const start = new Date(pastTime('since', since, serviceNow(context, file, place.host))).toISOString();
    for (const field of fields ?? []) checkField(file, field, resource);
    return {
      start,
      found: changesIn(file, { ...place, since: start, resource: resource?.command, id, fields, allFields, madeBy }),
      readings: readingCount(file, place, 2),
    };
  });
  const { format, jq } = print.options;
  const hasCells = jq === undefined && formats[format].renderer.kind === 'cells';
  // In cells, values are JSON, so that the columns are the same for all.
  const rows = found.map((change) => {
    if (print.isText) return changeCells(change);
    if (!hasCells) return change;
    const before = change.kind === 'created' ? '' : JSON.stringify(change.before);
    return { ...change, before, after: change.kind === 'deleted' ? '' : JSON.stringify(change.after) };
  });
  await print.rows([rows], view);
  if (print.isHumanReadable)
    await context.noteAbout(
      ({ organizations, counts: [count = 0] }) =>
        `${countText(count)} in ${organizations} since ${clock(start)} ${timeZone()}.`,
      [found.length],
    );
  if (readings < 2)
    await context.noteAbout(
      ({ place }) => `To record changes that others make: mkt watch --once${place} (again later, or in cron)`,
    );
}
