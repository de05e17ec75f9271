import { selectAll, selectOne } from 'css-select';
import { DomUtils, parseDocument } from 'htmlparser2';
import {
  type App,
  type AppOptions,
  createApp,
  demoSeed,
  demoTokens,
  memoryStore,
  type Store,
} from '../../src/index.js';
import { type WebPagesOptions, webPages } from '../../src/web/web-pages.js';

export const origin = 'http://127.0.0.1:4010';

/** An answer as a browser sees it. */
export interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Where a redirect leads; null for none. */
  readonly location: string | null;
  /** The text of the first element that a selector finds, white space squeezed; null for none. */
  find(selector: string): string | null;
  all(selector: string): readonly string[];
  /** Attribute of the first element that a selector finds. */
  attribute(selector: string, name: string): string | null;
  /** Every attribute of every element. */
  attributes(): readonly (readonly [name: string, value: string])[];
  /** The initial values of the form with this action. @throws if there is no such form */
  form(action: string, holding?: string): Record<string, string>;
}

type Document = ReturnType<typeof parseDocument>;
type Element = Extract<Document['children'][number], { readonly attribs: unknown }>;
const { getOuterHTML, textContent } = DomUtils;

const squeezed = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The HTML standard ignores a line end at the beginning of a text area. */
const textOf = (element: Element): string => {
  const text = textContent(element);
  return element.name === 'textarea' ? text.replace(/^\n/, '') : text;
};

async function pageOf(response: Response): Promise<Page> {
  const text = await response.text();
  let parsed: Document | undefined;
  const dom = () => {
    parsed ??= parseDocument(text);
    return parsed;
  };
  const first = (selector: string) => selectOne<Document | Element, Element>(selector, dom());
  const all = (selector: string, within: Document | Element = dom()) =>
    selectAll<Document | Element, Element>(selector, within);
  return {
    status: response.status,
    headers: response.headers,
    text,
    location: response.headers.get('location'),
    find(selector) {
      const element = first(selector);
      return element && squeezed(textOf(element));
    },
    all: (selector) => all(selector).map((element) => squeezed(textOf(element))),
    attribute: (selector, name) => first(selector)?.attribs[name] ?? null,
    attributes: () => all('*').flatMap(({ attribs }) => Object.entries(attribs)),
    form(action, holding = '') {
      const form = all('form').find(
        (candidate) => candidate.attribs.action === action && getOuterHTML(candidate).includes(holding),
      );
      if (!form) throw new Error(`No form to ${action} on this page: ${squeezed(textContent(dom()))}`);
      const fields: Record<string, string> = {};
      const hidden = new Set<string>();
      /** A checkbox replaces the hidden field before it; the values of a list are joined, as the server does. */
      const add = (name: string, value: string) => {
        const before = hidden.delete(name) ? undefined : fields[name];
        fields[name] = [before, value].filter(Boolean).join(', ');
      };
      for (const control of all('input, select, textarea', form)) {
        const { name, type, value = '' } = control.attribs;
        if (!name || type === 'file' || (type === 'checkbox' && !('checked' in control.attribs))) continue;
        if (control.name === 'select') {
          const options = all('option', control);
          const chosen = options.find(({ attribs }) => 'selected' in attribs) ?? options[0];
          fields[name] = chosen?.attribs.value ?? '';
        } else add(name, control.name === 'textarea' ? textOf(control) : value);
        if (type === 'hidden') hidden.add(name);
      }
      return fields;
    },
  };
}

/** A browser without scripts: cookies, pages, forms. */
export class Visitor {
  readonly cookies = new Map<string, string>();

  constructor(
    private readonly app: App,
    private readonly site = origin,
  ) {}

  async fetch(path: string, init: RequestInit = {}): Promise<Page> {
    const headers = new Headers(init.headers);
    if (!headers.has('accept')) headers.set('accept', 'text/html,application/xhtml+xml,*/*;q=0.8');
    if (this.cookies.size > 0)
      headers.set('cookie', [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await this.app.fetch(new Request(new URL(path, this.site), { ...init, headers }));
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';', 1);
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      if (/max-age=0(;|$)/i.test(cookie)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return pageOf(response);
  }

  /** The page of a new item redirects to a URL of its own. */
  async get(path: string): Promise<Page> {
    const page = await this.fetch(path);
    const [, query] = /\/new(\?(?:.*&)?form=.*)$/.exec(page.location ?? '') ?? [];
    return query === undefined ? page : this.fetch(path.replace(/\?.*/, '') + query);
  }

  post(path: string, fields: Readonly<Record<string, string>> | FormData): Promise<Page> {
    return this.fetch(path, {
      method: 'POST',
      headers: { origin: this.site },
      body: fields instanceof FormData ? fields : new URLSearchParams(fields),
    });
  }

  /** Sends the form to `action` on the page at `path`, filled with `fields`. */
  async submit(
    path: string,
    action: string,
    fields: Readonly<Record<string, string>> = {},
    holding = '',
  ): Promise<Page> {
    const page = await this.get(path);
    return this.post(action, { ...page.form(action, holding), ...fields });
  }

  /** The page that a redirect leads to. */
  async follow(page: Page): Promise<Page> {
    if (page.location === null) throw new Error(`Status ${page.status} leads nowhere: ${page.text.slice(0, 300)}`);
    return this.get(page.location);
  }

  async signIn(who: string, returnTo = '/organizations'): Promise<Page> {
    const token = (demoTokens as Readonly<Record<string, string>>)[who] ?? who;
    return this.submit(`/sign_in?return_to=${encodeURIComponent(returnTo)}`, '/sign_in', { token }, 'type="password"');
  }
}

export interface Site {
  readonly store: Store;
  readonly app: App;
  visitor(site?: string): Visitor;
  /** A visitor with a session of a demo token. */
  signedIn(who: string): Promise<Visitor>;
  json(who: string, path: string, init?: RequestInit): Promise<Response>;
}

export async function demoSite(renderer: WebPagesOptions = {}, options: Partial<AppOptions> = {}): Promise<Site> {
  const store = options.store ?? memoryStore();
  if (await store.isEmpty()) await store.load(demoSeed());
  const app = createApp({
    renderer: webPages({ knownTokens: Object.values(demoTokens), ...renderer }),
    onError: (error) => console.error(error),
    ...options,
    store,
  });
  return {
    store,
    app,
    visitor: (site) => new Visitor(app, site),
    async signedIn(who) {
      const visitor = new Visitor(app);
      await visitor.signIn(who);
      return visitor;
    },
    json(who, path, init = {}) {
      const token = (demoTokens as Readonly<Record<string, string>>)[who] ?? who;
      const headers = { accept: 'application/json', authorization: `Bearer ${token}`, ...init.headers };
      return app.fetch(new Request(origin + path, { ...init, headers }));
    },
  };
}
