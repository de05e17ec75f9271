import type { Child } from 'hono/jsx';
import { type FormSender, formOf } from '../http/body.js';
import { contentSecurityPolicy, type Exchange } from '../http/exchange.js';
import type { AppServices } from '../http/html-renderer.js';
import { pauseOf } from '../http/pause.js';
import { HttpError } from '../http/problems.js';
import type { Caller } from '../rules/context.js';
import { idFrom } from '../rules/policy.js';
import type { Reader } from '../store/store.js';
import { timingSafeEqual } from '../timing-safe-equal.js';
import { cookieOf, type NewCookie, noCookie, withCookies } from './cookies.js';
import { type Flash, flashCookie, flashIn } from './flash.js';
import type { ExtraPage, PageContext } from './page-context.js';
import { organizationIn } from './paths.js';
import { ProcessedForms } from './processed-forms.js';
import { sessionCookies, type Token } from './sessions.js';
import { type Sealer, type Sign, sealer, signer } from './signing.js';

/** Pages run only scripts of this server. */
export const withOwnScripts = { 'Content-Security-Policy': `${contentSecurityPolicy}; script-src 'self'` };

/** Shared by all pages: sessions, CSRF protection, the context of a page, and responses. */
export class WebContext {
  readonly sign: Sign;
  readonly sessions: ReturnType<typeof sessionCookies>;
  readonly processedForms: ProcessedForms;
  readonly #sealer: Sealer;
  readonly #signedIn = new WeakMap<Exchange, Token>();

  constructor(
    readonly site: AppServices,
    sessionSecret: string,
    /** Public secrets, which the sign-in page offers if they exist in the store. */
    readonly knownTokens: readonly string[],
    private readonly extraPages: readonly ExtraPage[],
  ) {
    this.sign = signer(sessionSecret);
    this.#sealer = sealer(sessionSecret);
    this.sessions = sessionCookies(this.sign, site.random, () => Date.now());
    this.processedForms = new ProcessedForms(site, this.#sealer);
  }

  /** The signed-in user. @throws a redirect to the sign-in page */
  async identify(reader: Reader, exchange: Exchange): Promise<Caller> {
    const token = await this.#sessionOf(reader, exchange);
    if (!token) throw signInFirst(exchange);
    exchange.identifiedAs(token.user_id);
    return { userId: token.user_id, permission: token.permission, tokenId: token.id };
  }

  /** Who sends it now: a session may end while a form or a product page arrives. @throws a redirect to the sign-in page */
  async requireSession(exchange: Exchange): Promise<Caller> {
    return this.site.store.read((reader) => this.identify(reader, exchange));
  }

  async #sessionOf(reader: Reader, exchange: Exchange): Promise<Token | null> {
    const cookie = cookieOf(exchange, 'session');
    const token = cookie === null ? null : await this.sessions.tokenOf(reader, cookie);
    if (token) this.#signedIn.set(exchange, token);
    return token;
  }

  /** The CSRF token of a form. It belongs to the cookie `anchor`, and names the user whose page has the form. */
  csrfFor(anchor: string, userId = ''): string {
    return `${userId}.${this.sign('csrf', anchor)}`;
  }

  /** Whether a page of this server has the form, and belongs to this cookie. */
  isFromPage(form: FormData, anchor: string | null): boolean {
    const given = String(form.get('csrf_token')).replace(/^.*\./, '');
    return anchor !== null && timingSafeEqual(given, this.sign('csrf', anchor));
  }

  /**
   * The form that belongs to this cookie, which is checked before the body.
   * @throws 403 if it is not from a page of this server
   */
  async checkedForm(exchange: Exchange, cookie: 'session' | 'visit', from: FormSender): Promise<FormData> {
    const anchor = cookieOf(exchange, cookie);
    const form = anchor === null ? null : await formOf(exchange, from);
    if (form && this.isFromPage(form, anchor)) {
      if (from === 'caller') await this.requireSession(exchange);
      return form;
    }
    const userId = this.#signedIn.get(exchange)?.user_id;
    const user = userId === undefined ? null : await this.site.store.read((reader) => reader.get('users', userId));
    if (form && user && openedByAnother(form, user.id))
      throw new HttpError(
        403,
        `You are signed in as ${user.name} now. Another user opened this form, so nothing was done.`,
      );
    throw new HttpError(
      403,
      'This form has expired, or was not sent from a page of this server. Go back, reload the page and send it again.',
    );
  }

  /** The context of the page for `exchange`. Without `exchange.userId`, the session identifies the visitor. */
  async contextOf(exchange: Exchange): Promise<PageContext> {
    const { pathname, search } = exchange.url;
    const organizationId = organizationIn(pathname);
    const bare = this.anonymousContext(exchange);
    return this.site.store.read(async (reader) => {
      const token = this.#signedIn.get(exchange) ?? (await this.#sessionOf(reader, exchange));
      const userId = exchange.userId ?? token?.user_id ?? null;
      const user = userId === null ? null : await reader.get('users', userId);
      const membership =
        user && organizationId !== null
          ? await reader.find('memberships', 'byOrganizationAndUser', [idFrom(organizationId, reader), user.id])
          : null;
      return {
        ...bare,
        path: pathname + search,
        visitor: user && {
          userId: user.id,
          name: user.name,
          permission: token?.permission ?? 'write',
          ...(token?.user_id === user.id && { tokenId: token.id }),
        },
        // Pages for bearer tokens have no forms, because browsers could not send the token.
        csrf: token && token.user_id === userId ? this.csrfFor(cookieOf(exchange, 'session') ?? '', userId) : null,
        organization: membership && (await reader.get('organizations', membership.organization_id)),
        membership,
        brands: user ? await firstBrands(reader, user.id) : [],
        // A rejected form is at the same URL.
        undo:
          bare.flash?.undo && exchange.method === 'GET'
            ? await this.processedForms.undoOn(pathname, reader, bare.flash.undo)
            : null,
      };
    });
  }

  /** The same without a visitor, because no user is signed in or the store is not available. */
  anonymousContext(exchange: Exchange): PageContext {
    return {
      path: exchange.url.pathname,
      parameters: exchange.parameters,
      turn: pauseOf(exchange),
      base: this.site.base(exchange),
      visitor: null,
      csrf: null,
      formId: formIdIn(exchange.query('form')[0]) ?? this.site.random(9),
      flash: flashIn(this.#sealer, exchange),
      undo: null,
      organization: null,
      membership: null,
      brands: [],
      extraPages: this.extraPages,
    };
  }

  /**
   * The path prefix of this server behind a proxy, from the base URL. Pages and rules do not know it: it is added to
   * URLs in responses. Local pages cannot be reached through a proxy.
   */
  #prefix(exchange: Exchange): string {
    const { pathname } = exchange.url;
    const isLocal = this.extraPages.some(({ path }) => pathname === path || pathname.startsWith(`${path}/`));
    return isLocal ? '' : new URL(this.site.base(exchange)).pathname.replace(/\/$/, '');
  }

  /** Responds with a page, and removes the flash message that it shows. */
  async answer(
    exchange: Exchange,
    status: number,
    context: PageContext,
    page: Child,
    headers: Readonly<Record<string, string>> = {},
    cookies: readonly NewCookie[] = [],
  ): Promise<Response> {
    await exchange.turn();
    const prefix = this.#prefix(exchange);
    const html = String(await page?.toString());
    // Quotes in text are escaped as `&quot;`, so these are always attributes.
    const placed =
      prefix === '' ? html : html.replace(/ (href|src|action|formaction|data-page)="\//g, ` $1="${prefix}/`);
    const response = exchange.html(status, placed, {
      'Cache-Control': 'no-store',
      Vary: 'Accept, Accept-Encoding, Authorization, Origin, Cookie',
      ...(context.visitor && withOwnScripts),
      ...headers,
    });
    const said = context.flash ? [noCookie('flash')] : [];
    if (context.flash?.form !== undefined)
      void this.processedForms.markShown(context.flash.form).catch(() => undefined);
    return withCookies(response, exchange, context.base, [...said, ...cookies]);
  }

  redirect(exchange: Exchange, to: string, flash: Flash | null, cookies: readonly NewCookie[] = []): Response {
    const location = this.#prefix(exchange) + to;
    const response = exchange.respond(303, null, { Location: location, 'Cache-Control': 'no-store' });
    if (flash) this.withFlash(exchange, response, flash);
    return withCookies(response, exchange, this.site.base(exchange), cookies);
  }

  /** Adds a flash message to the page that `response` redirects to. */
  withFlash(exchange: Exchange, response: Response, flash: Flash): Response {
    return withCookies(response, exchange, this.site.base(exchange), [flashCookie(this.#sealer, exchange, flash)]);
  }
}

/** The user whose page has the form; empty if it does not say. */
export const openerOf = (form: FormData): string => /^(.*)\./.exec(String(form.get('csrf_token')))?.[1] ?? '';

/** Whether another user than this one opened the form. */
export const openedByAnother = (form: FormData, userId: string | undefined): boolean =>
  !['', userId].includes(openerOf(form));

async function firstBrands(reader: Reader, userId: string) {
  const memberships = await reader.page('memberships', 'byUser', [userId], { offset: 0, limit: 10 });
  return reader.getMany(
    'organizations',
    memberships.map(({ organization_id }) => organization_id),
  );
}

/** The id of a form, if it is one. It is in the URL of the form too, so that it is the same after going back to the form. */
export const formIdIn = (given: unknown): string | null =>
  typeof given === 'string' && /^[\w-]{12}$/.test(given) ? given : null;

/** Reads continue after signing in; writes are not repeated. */
export function signInFirst(exchange: Exchange): HttpError {
  const { pathname, search } = exchange.url;
  const reads = exchange.method === 'GET' || exchange.method === 'HEAD';
  const query = reads ? `?return_to=${encodeURIComponent(pathname + search)}` : '';
  return new HttpError(303, 'Sign in first.', { Location: `/sign_in${query}` });
}
