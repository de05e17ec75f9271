import { type NestedList, nestedListsOf, resources } from '@mkt/sdk/contract';
import { html } from 'hono/html';
import type { Child } from 'hono/jsx';
import { capitalized } from '../../rules/problems.js';
import { iconPath, pageScriptPath, stylePath } from '../assets.js';
import type { Flash } from '../flash.js';
import type { PageContext, Visitor } from '../page-context.js';
import { endpointFor, type Item, type PageDescription } from '../page-descriptions.js';
import { pageOf } from '../paths.js';
import { PostButton } from './buttons.js';

interface Crumb {
  readonly label: string;
  readonly href: string;
}

/** Breadcrumbs for pages inside an organization: all organizations, and this one. */
export const crumbsInside = ({ organization }: PageContext): readonly Crumb[] =>
  organization
    ? [
        { label: 'Brands', href: '/organizations' },
        { label: organization.name, href: `/organizations/${organization.id}` },
      ]
    : [];

/** Breadcrumbs for an item: the same, and its list. For a form, which has an item or creates one, also its page. */
export function crumbsTo(context: PageContext, resource: PageDescription, item: Item | null = null) {
  const list = endpointFor(resource, 'list');
  const get = item && endpointFor(resource, 'get');
  return [
    ...(resource.name === 'organizations' ? [] : crumbsInside(context)),
    ...(list ? [{ label: resource.heading, href: pageOf(list, context.parameters) }] : []),
    ...(get ? [{ label: resource.labelOf(item), href: pageOf(get, context.parameters) }] : []),
  ];
}

interface PageProps {
  readonly context: PageContext;
  readonly title: string;
  /** An addition to the window title, such as `page 2`, so that titles are unique. */
  readonly part?: string | undefined;
  /** Whether the page shows that the request was rejected. */
  readonly rejected?: boolean;
  readonly crumbs?: readonly Crumb[];
  /** Content before the title: a logo. */
  readonly lead?: Child;
  /** Content next to the title: a state, buttons. */
  readonly aside?: Child;
  /** Centers the content, for short forms. */
  readonly narrow?: boolean;
  /** The path of the page's content as JSON. */
  readonly json?: string | undefined;
  /** Content for developers, such as ids. */
  readonly record?: Child;
  /** Whether the children contain the target of the skip link, `#content`. */
  readonly hasOwnTarget?: boolean;
  readonly children?: Child;
}

const ownPages = [
  ['/me/social_accounts', 'Social accounts'],
  ['/me/address', 'Address'],
  ['/me/access_tokens', 'Access tokens'],
] as const;

const isIn = (path: string, section: string): boolean =>
  path === section || path.startsWith(`${section}/`) || path.startsWith(`${section}?`);

const current = (yes: boolean) => (yes ? { 'aria-current': 'page' as const } : {});

/** A unique title, for screen readers and tabs. */
function windowTitle({ context, title, part, rejected }: PageProps): string {
  const { organization } = context;
  const place = organization && !title.includes(organization.name) ? organization.name : undefined;
  return (rejected ? 'Error: ' : '') + [title, part, place, 'mkt'].filter(Boolean).join(' · ');
}

export const Page = (props: PageProps) => {
  const { context, title, rejected, crumbs = [], lead, aside, narrow, json, record, hasOwnTarget, children } = props;
  return html`<!doctype html>${(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content={`${title}: mkt, a marketplace for creator campaigns`} />
        <title>{windowTitle(props)}</title>
        <link rel="stylesheet" href={stylePath} />
        <link rel="icon" type="image/svg+xml" href={iconPath} />
        {context.visitor && <script src={pageScriptPath} type="module" />}
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to content
        </a>
        <Top context={context} />
        <main class={narrow ? 'narrow' : undefined} data-rejected={rejected ? '' : undefined}>
          {crumbs.length > 0 && <Crumbs crumbs={crumbs} />}
          {context.flash && <FlashMessage flash={context.flash} context={context} />}
          <div class="head" id={hasOwnTarget ? undefined : 'content'}>
            {lead}
            <h1>{title}</h1>
            {aside}
          </div>
          {children}
        </main>
        <footer>
          {json !== undefined && <ForDevelopers context={context} json={json} record={record} />}
          <SiteLinks context={context} />
        </footer>
      </body>
    </html>
  )}`;
};

const Top = ({ context }: { context: PageContext }) => (
  <header class="top">
    <a class="brand" href="/organizations">
      mkt
    </a>
    {context.visitor && (
      <details class="all">
        <summary>Menu</summary>
      </details>
    )}
    {context.visitor && <BrandSwitcher context={context} />}
    {context.organization && <OrganizationPages context={context} id={context.organization.id} />}
    {context.organization && <SearchBox context={context} {...context.organization} />}
    {context.visitor && <AccountMenu context={context} visitor={context.visitor} />}
  </header>
);

const BrandSwitcher = ({ context: { path, organization, brands } }: { context: PageContext }) => {
  // To the same list of the other brand, also from an item of it.
  const [list = ''] = /(?<=^\/organizations\/[^/?]+)\/(?:campaigns|collabs|members)\b/.exec(path) ?? [];
  return (
    <nav aria-label="Brands">
      <details class="menu" name="menu">
        <summary>
          <span>{organization?.name ?? 'Brands'}</span>
        </summary>
        <ul>
          {brands.map(({ id, name }) => (
            <li>
              <a
                href={`/organizations/${id}${list}`}
                {...(id === organization?.id && { 'aria-current': 'true' as const })}
              >
                {name}
              </a>
            </li>
          ))}
          <li>
            <a href="/organizations" {...current(path.split('?', 1)[0] === '/organizations')}>
              All brands
            </a>
          </li>
        </ul>
      </details>
    </nav>
  );
};

const AccountMenu = ({ context: { path, csrf }, visitor }: { context: PageContext; visitor: Visitor }) => (
  <nav class="account" aria-label="Account">
    <details class="menu" name="menu">
      <summary>
        <span>
          {visitor.name}
          {visitor.permission !== 'write' && <small> (read only)</small>}
        </span>
      </summary>
      <ul>
        {ownPages.map(([href, label]) => (
          <li>
            <a href={href} {...current(isIn(path, href))}>
              {label}
            </a>
          </li>
        ))}
        {csrf !== null && (
          <li>
            <PostButton to="/sign_out" csrf={csrf} label="Sign out" quiet />
          </li>
        )}
      </ul>
    </details>
  </nav>
);

const SiteLinks = ({ context: { path, visitor, extraPages } }: { context: PageContext }) => (
  <nav aria-label="Developers">
    <a href="/docs" {...current(isIn(path, '/docs'))}>
      API reference
    </a>
    {visitor &&
      extraPages.map(({ path: href, title }) => (
        <a href={href} {...current(isIn(path, href))}>
          {title}
        </a>
      ))}
  </nav>
);

const Crumbs = ({ crumbs }: { crumbs: readonly Crumb[] }) => (
  <nav class="crumbs" aria-label="Breadcrumb">
    <ol>
      {crumbs.map(({ label, href }) => (
        <li>
          <a href={href}>{label}</a>
        </li>
      ))}
    </ol>
  </nav>
);

const rank = ({ resource }: NestedList): number => Number(!(resource && 'states' in resources[resource]));
/** Its lists: those with states, which are its work, come first. */
const organizationLists = nestedListsOf('organizations').toSorted((left, right) => rank(left) - rank(right));

const OrganizationPages = ({ context: { path }, id }: { context: PageContext; id: number | string }) => {
  const home = `/organizations/${id}`;
  const lists = organizationLists.map(({ name, plural }) => [name, capitalized(plural)] as const);
  const parts = [...lists.map(([part]) => part), 'search'];
  return (
    <nav aria-label="Main">
      <a href={home} {...current(!parts.some((part) => isIn(path, `${home}/${part}`)))}>
        Overview
      </a>
      {lists.map(([part, label]) => (
        <a href={`${home}/${part}`} {...current(isIn(path, `${home}/${part}`))}>
          {label}
        </a>
      ))}
      <a href={`${home}/search`} class="find" {...current(isIn(path, `${home}/search`))}>
        Search
      </a>
    </nav>
  );
};

/** In narrow windows, the link to the page of the search is in its place. */
const SearchBox = ({ context: { path }, id, name }: { context: PageContext; id: number | string; name: string }) =>
  !isIn(path, `/organizations/${id}/search`) && (
    <search class="find" aria-label={name}>
      <form method="get" action={`/organizations/${id}/search`}>
        <input type="search" name="name" placeholder="Search" aria-label={`Search in ${name}`} />
        <button type="submit" hidden>
          Search
        </button>
      </form>
    </search>
  );

type FlashProps = { flash: Flash; context: PageContext };

const FlashMessage = ({ flash: { tone, text, secret }, context: { undo, csrf } }: FlashProps) => (
  // Screen readers do not announce a status that is there when a page loads, so it gets the focus.
  <div class={`flash flash-${tone}`} role={tone === 'bad' ? 'alert' : 'status'} tabindex={-1} autofocus>
    <p>{secret === undefined ? text : `${text} Copy its secret now. It is not shown again.`}</p>
    {secret !== undefined && <code class="secret">{secret}</code>}
    {undo && csrf !== null && <PostButton {...undo} to={undo.action} csrf={csrf} quiet />}
  </div>
);

/** Escapes quotes for the shell, and brackets and braces, which are patterns for curl. */
const typed = (path: string): string =>
  path.replace(/['[\]{}]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

type ForDevelopersProps = Pick<PageProps, 'context' | 'record'> & { json: string };

const ForDevelopers = ({ context: { base, path }, json, record }: ForDevelopersProps) => (
  <details class="developers">
    <summary>For developers</summary>
    {record}
    <pre>
      <code>{`curl '${base + typed(json)}' -H 'Accept: application/json' -H "Authorization: Bearer $MKT_TOKEN"`}</code>
    </pre>
    {!path.includes('as=json') && <a href={asJson(json)}>Show this page as JSON</a>}
  </details>
);

/** The page that shows the JSON response of `path`. */
function asJson(path: string): string {
  const [pathname = '', query = ''] = path.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('as', 'json');
  return `${pathname.replace(/\.json$/, '')}?${parameters}`;
}
