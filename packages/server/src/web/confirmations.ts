import type { Endpoint } from '@mkt/sdk/contract';
import type { Exchange } from '../http/exchange.js';
import { transitionError } from '../rules/changes.js';
import { deletionErrors, memberCounts, removalError, roleChangeError } from '../rules/deletion.js';
import { idFrom } from '../rules/policy.js';
import { isSelectable } from '../rules/selection.js';
import type { Reader } from '../store/store.js';
import type { Row } from '../store/tables.js';
import { inWordsOfPages } from './form-messages.js';
import { subjectOf } from './load-resource.js';
import { spendingIn } from './overview.js';
import type { PageContext } from './page-context.js';
import {
  endpointFor,
  type Item,
  type PageDescription,
  pageDescriptionOf,
  pageDescriptions,
} from './page-descriptions.js';
import { confirmPage } from './pages/confirm.js';
import { wholeNumber } from './pages/values.js';
import { type Content, changesSince, digestOf, type Shown, shownIn, shownText, shownValues } from './shown.js';
import { sumOf } from './totals.js';
import type { WebContext } from './web-context.js';

/** Asks before an action, or explains why it is not possible. Names what changed since the previous page. */
export async function showConfirmation(
  web: WebContext,
  exchange: Exchange,
  endpoint: Endpoint,
  { form = null, reasons = [] }: { form?: FormData | null; reasons?: readonly string[] } = {},
): Promise<Response> {
  const subject = await subjectOf(web, exchange, endpoint);
  const { context, resource, item } = subject;
  const { contents, obstacle } = await web.site.store.read(async (reader) => ({
    contents: await contentsOf(web, reader, endpoint, item),
    obstacle: (await obstacleIn(reader, context, endpoint, item))?.(resource.labelOf(item)) ?? null,
  }));
  const now = { ...shownValues(web.site, resource, item, endpoint), ...contents };
  // Of one item, the form has the values, and so has a link.
  const asked = form?.get('shown') ?? exchange.query('shown')[0];
  const before = shownIn(web, asked)?.get(String(item.id)) as Item | undefined;
  // The page with the link has not shown what is deleted with the item.
  const compared = form ? now : shownValues(web.site, resource, item);
  // A colleague was faster: the other role was not asked for.
  const role = form?.get('membership[role]') ?? exchange.query('role')[0];
  const hasRole = endpoint.operation === 'members.update' && role === item.role;
  const page = confirmPage({
    ...subject,
    contents,
    obstacle: hasRole ? `The role of ${resource.labelOf(item)} is "${item.role}" already.` : obstacle,
    reasons,
    before: before ?? now,
    changed: (before && changesSince(web.site, before, compared)) ?? [],
    isSent: form !== null,
    shown: await shownText(web, [[String(item.id), now]]),
  });
  return web.answer(exchange, form ? 422 : 200, context, page);
}

/** The form of an action does nothing if the item, or what it contains, is no longer as the page showed it. @returns that */
export function requireAsShown(web: WebContext, exchange: Exchange, endpoint: Endpoint, form: FormData): Shown | null {
  const shown = shownIn(web, form.get('shown'));
  const resource = pageDescriptionOf(endpoint.operation);
  if (shown)
    exchange.isAsShown = async (current, reader) => {
      const item = current as Item;
      const before = shown.get(String(item?.id));
      const now = {
        ...shownValues(web.site, resource, item, endpoint),
        ...(await contentsOf(web, reader, endpoint, item)),
      };
      return before !== undefined && changesSince(web.site, before, now) === null;
    };
  return shown;
}

/** Of more campaigns or collabs only the newest are compared, so that a million take as long: what replaces one is new. */
const maxCompared = 1000;

/** What is deleted with a brand. */
async function contentsOf(web: WebContext, reader: Reader, { operation }: Endpoint, { id }: Item) {
  if (operation !== 'organizations.delete') return {};
  const organization = idFrom(String(id), reader);
  const { members } = await memberCounts(reader, organization);
  const contents: Record<string, Content> = { members: { text: wholeNumber.format(members) } };
  let submissions = 0;
  for (const { name, states } of pageDescriptions) {
    if (!isSelectable(name) || !states) continue;
    const totals = await reader.totals(name, organization);
    const inStates = states.names.flatMap((state) => {
      const count = sumOf(
        totals.filter((total) => total[states.field] === state),
        'total',
      );
      return count > 0 ? `${wholeNumber.format(count)} ${state.replaceAll('_', ' ')}` : [];
    });
    const all = wholeNumber.format(sumOf(totals, 'total'));
    const newest = await reader.scan(name, 'byOrganization', [organization], { limit: maxCompared, newestFirst: true });
    contents[name] = {
      text: inStates.length > 0 ? `${all} (${inStates.join(', ')})` : all,
      versions: digestOf(
        web.site,
        newest.map((row) => [row.id, row.updated_at]),
      ),
    };
    submissions += sumOf(totals, 'submissions_count');
  }
  const left = spendingIn(await reader.totals('campaigns', organization)).flatMap(({ currency, left }) =>
    left === 0 ? [] : `${wholeNumber.format(left)} ${currency.toUpperCase()}`,
  );
  contents.submissions = { text: wholeNumber.format(submissions) };
  contents.budget_left = { text: left.join(', ') || 'none' };
  return contents;
}

/** Why the visitor cannot do this to an item now. @param label what the sentence calls it */
export type Obstacle = (label: string) => string;

/** Null if they can. The rules use the same checks. */
export async function obstacleIn(
  reader: Reader,
  { membership }: PageContext,
  { operation, transition }: Endpoint,
  item: Item,
): Promise<Obstacle | null> {
  const resource = pageDescriptionOf(operation);
  if (transition) {
    // The name of an item stays as it is.
    const error = transitionError('', String(resource.state && item[resource.state]), transition);
    const rest = inWordsOfPages(error?.message ?? '');
    return error && ((label) => label + rest);
  }
  if (resource.name === 'members') {
    const member = item as unknown as Row<'memberships'>;
    const counts = membership && (await memberCounts(reader, membership.organization_id));
    if (!counts) return null;
    const error =
      operation === 'members.update' ? roleChangeError(counts, member) : removalError(counts, membership, member);
    const isAlone = counts.members === 1 && operation !== 'members.update';
    if (error && isAlone && !membership.is_owner)
      return () =>
        'You are the only member of this brand, so you cannot leave it. The operator of this server can delete it.';
    const text = inWordsOfPages(error?.message ?? '');
    return error && (() => text);
  }
  if (!Object.hasOwn(deletionErrors, resource.name)) return null;
  const table = resource.name as keyof typeof deletionErrors;
  const row = await reader.get(table, idFrom(String(item.id), reader));
  const errorOf = deletionErrors[table] as (row: object) => Error | null;
  const text = inWordsOfPages((row && errorOf(row)?.message) ?? '');
  return text === '' ? null : () => text;
}

/** Why an item cannot be deleted; null if it can, or if there is no deletion. */
export async function deletionObstacle(web: WebContext, context: PageContext, resource: PageDescription, item: Item) {
  const remove = endpointFor(resource, 'delete');
  const obstacle = remove && (await web.site.store.read((reader) => obstacleIn(reader, context, remove, item)));
  return obstacle?.(resource.labelOf(item)) ?? null;
}
