import { fieldsOfKind, hasKind } from '@mkt/sdk/contract/resources';
import { campaigns } from '../../api/labels.js';
import type { Context } from '../../context/context.js';
import { failure, toType, unknownName, usageError } from '../../errors/cli-error.js';
import { pastTime, timeFrom } from '../../fields/past-time.js';
import { chart, type Line, MOST_LINES } from '../../history/chart.js';
import { serviceNow } from '../../history/clock.js';
import { placeOf, withHistory } from '../../history/database.js';
import { type KnownCampaign, knownCampaigns, numberFields, type Point, seriesIn } from '../../history/series.js';
import { columnOf } from '../../output/view.js';
import { clock, timeZone } from '../../text/local-time.js';
import { idValue } from '../../text/values.js';

interface TrendFlags {
  readonly field?: string;
  readonly since?: string;
}

interface Series {
  readonly id: string | number | null;
  readonly name: string;
  readonly currency: string | null;
  readonly points: readonly Point[];
}

/** The fields whose sum over campaigns means something: not prices. */
const addable = fieldsOfKind(campaigns.fields, 'amount', 'number').filter(
  (field) =>
    hasKind(campaigns.fields, field, 'counter') ||
    hasKind(campaigns.fields, field, 'derived') ||
    Object.values(campaigns.computed).some(({ whole }) => whole === field),
);

const pointFields = ['id', 'name', 'currency', 'field', 'at', 'value'];

function chosen(known: readonly KnownCampaign[], words: readonly string[]): KnownCampaign[] {
  return words.map((word) => {
    const found = known.find(({ id }) => id === word) ?? known.find(({ name }) => name === word);
    if (found !== undefined) return found;
    throw failure(
      'not_found',
      `The history has no campaign "${word}".`,
      toType('mkt watch --once', 'To record all campaigns'),
    );
  });
}

/** Rejects a field without numbers, once the history knows campaigns. */
function checkField(field: string, known: readonly string[]): void {
  if (known.length === 0 || known.includes(field)) return;
  throw unknownName(`--field takes a field with numbers, not "${field}".`, field, known);
}

/** Shows how a field of campaigns develops: of each that is named, or of all together. */
export async function trend(
  context: Context,
  {
    args,
    flags: { field = 'view_count', since = '30d' },
  }: { readonly args: readonly string[]; readonly flags: TrendFlags },
): Promise<void> {
  if (!/^[a-z]\w*$/.test(field)) throw usageError(`--field takes the name of a field, not "${field}".`);
  const isPriceOrId = (['amount', 'number', 'id'] as const).some((kind) => hasKind(campaigns.fields, field, kind));
  if (args.length === 0 && isPriceOrId && !addable.includes(field))
    throw usageError(
      `${field} of several campaigns cannot be added up.`,
      toType(`mkt campaigns trend ID --field ${field}`, 'For single campaigns'),
      `Fields that can: ${addable.join(', ')}`,
    );
  // Checked before anything is requested.
  timeFrom('since', since, context.io.now());
  const organization = await context.organization();
  const place = placeOf(context, organization);
  let start = '';
  const series = await withHistory(context, (file): Series[] => {
    checkField(field, numberFields(file, place));
    start = new Date(pastTime('since', since, serviceNow(context, file, place.host))).toISOString();
    const query = { ...place, field, since: start };
    const isMoney = hasKind(campaigns.fields, field, 'amount');
    if (args.length === 0)
      return [...seriesIn(file, query, ({ currency }) => (isMoney ? currency : ''))].map(([currency, points]) => ({
        ...{ id: null, name: isMoney ? `All campaigns in ${currency}` : 'All campaigns' },
        ...{ currency: currency || null, points },
      }));
    const wanted = chosen(knownCampaigns(file, place, field), args);
    const ids = new Set(wanted.map(({ id }) => id));
    const points = seriesIn(file, query, ({ id }) => (ids.has(id) ? id : undefined));
    return wanted.map(({ id, name, currency }) => ({
      ...{ id: idValue(id), name },
      ...{ currency: isMoney ? currency : null, points: points.get(id) ?? [] },
    }));
  });
  const { print } = context;
  if (!print.isText) {
    const rows = series.flatMap(({ points, ...own }) => points.map((point) => ({ ...own, field, ...point })));
    await print.rows([rows], { columns: pointFields.map(columnOf), fields: pointFields });
  } else {
    const { stdout } = context.io;
    const lines: Line[] = series.filter(({ points }) => points.length > 0);
    const width = stdout.isTTY ? stdout.columns : 80;
    if (lines.length > 0) {
      const name = await organization.name();
      await print.write(
        `${field} in ${name}\n\n${chart(lines.slice(0, MOST_LINES), { width, style: context.styleOf('stdout') })}`,
      );
    }
    const hidden = lines.length - MOST_LINES;
    if (hidden > 0) context.note(`The chart shows ${MOST_LINES} of ${lines.length}. All: --json`);
  }
  const most = Math.max(0, ...series.map(({ points }) => points.length));
  if (most > 1) return;
  await context.noteAbout(({ organizations, isSeveral, place }) => {
    const where = isSeveral ? ` of ${organizations}` : '';
    const begin = `mkt watch --once${place}`;
    return most === 0
      ? `Nothing${where} was recorded since ${clock(start)} ${timeZone()}. To begin: ${begin}`
      : `There is only one reading${where} so far. For a trend, read again later: ${begin}`;
  });
}
