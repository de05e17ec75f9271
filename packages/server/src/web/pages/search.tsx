import type { ListLimit } from '../../rules/context.js';
import type { MemberCounts } from '../../rules/deletion.js';
import type { PageContext } from '../page-context.js';
import type { Item, PageDescription } from '../page-descriptions.js';
import { ButtonLink } from './buttons.js';
import { limits, listUrl, noListQuery } from './filters.js';
import { crumbsInside, Page } from './layout.js';
import { Table } from './table.js';
import { wholeNumber } from './values.js';

export interface Found {
  readonly resource: PageDescription;
  readonly path: string;
  /** The first ones. */
  readonly items: readonly Item[];
  readonly total: number;
  /** Whether the list can show all of them. */
  readonly isFilter: boolean;
  readonly limit?: ListLimit | undefined;
  /** Whether there are more members or brands than were read. */
  readonly isCut?: boolean;
  /** Of the members: they decide who can be removed. */
  readonly counts?: MemberCounts;
}

/** Members of an organization and brands of a visitor have no index of names: the first ones are read. */
export const maxRead = 1000;

interface SearchProps {
  readonly context: PageContext;
  readonly text: string;
  readonly found: readonly Found[];
}

/** One search for everything of a brand: the first matches of each list, and links to all of them. */
export function searchPage({ context, text, found }: SearchProps) {
  const { organization } = context;
  const home = `/organizations/${organization?.id}`;
  const results = found.filter(
    ({ total, limit, isCut }) => total > 0 || isCut || limit === 'letters' || limit === 'slow',
  );
  return (
    <Page context={context} title="Search" part={text && `"${text}"`} crumbs={crumbsInside(context)}>
      <search>
        <form method="get" action={`${home}/search`} class="filters">
          <label>
            Name <input type="search" name="name" value={text} />
          </label>
          <button type="submit">Search</button>
        </form>
        {text === '' && <p class="hint">{scope(organization?.name)}</p>}
      </search>
      {results.map((each) => (
        <Results context={context} text={text} found={each} />
      ))}
      {text !== '' && results.length === 0 && (
        <div class="empty">
          <p>{`Nothing here is called "${text}".`}</p>
          <p class="hint">{scope(organization?.name)} Try fewer letters.</p>
          <ButtonLink to={`${home}/campaigns`} label="Show all campaigns" quiet />
        </div>
      )}
    </Page>
  );
}

const scope = (brand = 'this brand'): string =>
  `This searches the names of campaigns, collabs and members of ${brand}, email addresses of members, and your other brands. It ignores case and accents.`;

const Results = ({ context, text, found }: Omit<SearchProps, 'found'> & { found: Found }) => {
  const { resource, path, items, total, isFilter, limit, isCut, counts = null } = found;
  return (
    <section class="found">
      <h2>{total > 0 ? `${resource.heading} (${wholeNumber.format(total)})` : resource.heading}</h2>
      {limit && <p class="hint">{limits[limit]}</p>}
      {isCut && <p class="hint">{`Only the first ${wholeNumber.format(maxRead)} ${resource.plural} were searched.`}</p>}
      {items.length > 0 && (
        // As in the list, without sorting and selecting.
        <Table
          context={{ ...context, parameters: { organization_id: context.parameters.id ?? '' } }}
          resource={{ ...resource, filters: [] }}
          items={items}
          path={path}
          query={noListQuery}
          counts={counts}
          isPart
        />
      )}
      {total > items.length && (
        <p class="after">
          {isFilter ? (
            <a href={listUrl(path, { name: text })}>{`Show all ${wholeNumber.format(total)} ${resource.plural}`}</a>
          ) : (
            <a href={path}>{`These are the first matches. Go to all ${resource.plural}`}</a>
          )}
        </p>
      )}
    </section>
  );
};
