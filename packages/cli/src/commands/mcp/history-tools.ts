import { spread } from '../../text/values.js';
import { json } from './command-line.js';
import { organization, pageOf, startOf, type Texts } from './read-tools.js';
import { cut, type Row, result } from './result.js';
import { flagsFrom, registerTool, type Toolbox } from './tool.js';

const text = { type: 'string' };
const since = { type: 'string', description: 'Such as 7d, monday or 2026-11-01' };

type HistoryArguments = Texts<'organization' | 'resource' | 'id' | 'since' | 'until' | 'field' | 'made_by' | 'next'> & {
  readonly ids?: readonly string[];
};

const PAGE = 30;
/** Points of a series: enough to see how it develops. */
const POINTS = 30;

/** Series of points as `[time, value]`, by what they are about. */
function seriesOf(rows: readonly Row[]): Row[] {
  const series = new Map<string, { readonly about: Row; readonly points: [unknown, unknown][] }>();
  for (const { at, value, field: _, ...about } of rows) {
    const key = JSON.stringify(about);
    const found = series.get(key) ?? { about, points: [] };
    series.set(key, found);
    found.points.push([at, value]);
  }
  return [...series.values()].map(({ about, points }) => ({ ...about, points: spread(points, POINTS) }));
}

/** Tools that read the record of this machine. Each runs command lines. */
export function registerHistoryTools(tools: Toolbox): void {
  registerTool<HistoryArguments>(tools, 'changes', {
    title: 'What changed',
    description: 'What changed and who did it, as this machine has recorded it.',
    properties: { organization, resource: text, id: text, since, field: text, made_by: text, next: text },
    run: async (args, bound, { mcpReq: { signal } }) => {
      const { resource, id, next, since: start, field, made_by, organization: given } = args;
      const words = [resource, id].flatMap((word) => word ?? []);
      const flags = { org: await bound.organization(given), since: start, field, 'made-by': made_by };
      const rows = (await json(bound.context, ['changes', ...flagsFrom(flags), '--', ...words], { signal })) as Row[];
      // The latest first.
      const page = pageOf(rows.reverse(), startOf(next), PAGE, rows.length);
      return result(`${page.data.length} of ${rows.length} changes`, cut(page.data), page.more);
    },
  });
  registerTool<HistoryArguments>(tools, 'report', {
    title: 'Report on a period',
    description: 'Budgets, views, pace, when budgets run out, and what needs attention.',
    properties: { organization, since, until: text },
    run: async ({ organization: given, since: start, until }, bound, { mcpReq: { signal } }) => {
      const flags = { org: await bound.organization(given), since: start, until };
      const report = (await json(bound.context, ['report', ...flagsFrom(flags)], { signal })) as Row;
      const { changes, attention, currencies, ...about } = report;
      const shown = (currencies as readonly Row[]).map(({ period, ...currency }) => {
        const { series: _, ends_soonest: ending, ...development } = (period ?? {}) as Row;
        return { ...currency, period: period === null ? null : { ...development, ends_soonest: firstOf(ending) } };
      });
      const counts = { attention_total: (attention as Row[]).length, changes_total: (changes as Row[] | null)?.length };
      return result('Report', cut({ ...about, currencies: shown, attention: firstOf(attention), ...counts }));
    },
  });
  registerTool<HistoryArguments>(tools, 'trend', {
    title: 'Trend of a number',
    description: 'How a number of campaigns develops: of each that ids names, or of all together.',
    properties: { organization, ids: { type: 'array', items: text }, field: text, since },
    run: async ({ organization: given, ids = [], field, since: start }, bound, { mcpReq: { signal } }) => {
      const flags = flagsFrom({ org: await bound.organization(given), field, since: start });
      const rows = await json(bound.context, ['campaigns', 'trend', ...flags, '--', ...ids], { signal });
      const series = seriesOf(rows as Row[]);
      return result(`${series.length} series`, cut(series));
    },
  });
}

const firstOf = (rows: unknown): unknown => (Array.isArray(rows) ? rows.slice(0, 10) : rows);
