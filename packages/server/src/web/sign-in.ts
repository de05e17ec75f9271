import type { Hono } from 'hono';
import { tokenWith } from '../http/bearer.js';
import type { Exchange } from '../http/exchange.js';
import type { AppEnv } from '../http/html-renderer.js';
import { mountRoute } from '../http/routes.js';
import { cookieOf, type NewCookie, noCookie } from './cookies.js';
import type { Flash } from './flash.js';
import { textIn } from './form-values.js';
import { continuePage, type DemoUser, type KeptForm, signInPage } from './pages/sign-in.js';
import { localPath } from './paths.js';
import { sessionSeconds } from './sessions.js';
import { type WebContext, withOwnScripts } from './web-context.js';

/** Sign-in pages that were open for longer must be reloaded. */
const visitSeconds = 24 * 60 * 60;

interface SignInOptions {
  readonly returnTo: string;
  /** Whether the session had ended before a button was pressed, whose page the visitor returns to. */
  readonly isUndone?: boolean;
  readonly error: string | null;
  readonly kept?: KeptForm | null;
  readonly cookies?: readonly NewCookie[];
}

export async function showSignIn(web: WebContext, exchange: Exchange, options: SignInOptions): Promise<Response> {
  const { returnTo, isUndone = false, error, kept = null, cookies = [] } = options;
  const context = { ...(await web.contextOf(exchange)), path: '/sign_in' };
  const known = cookieOf(exchange, 'visit');
  const visit = known ?? web.site.random(18);
  const users = await demoUsers(web);
  const page = signInPage({ context, csrf: web.csrfFor(visit), returnTo, isUndone, users, error, kept });
  const own = known === null ? [{ name: 'visit', value: visit, maxAge: visitSeconds } as const] : [];
  const status = error !== null ? 422 : kept ? 401 : 200;
  const headers = status === 401 ? { 'WWW-Authenticate': 'Token realm="Application"' } : {};
  return web.answer(exchange, status, context, page, headers, [...own, ...cookies]);
}

export function mountSignIn(routes: Hono<AppEnv>, web: WebContext): void {
  const signIn = async (exchange: Exchange): Promise<Response> => {
    const form = await web.checkedForm(exchange, 'visit', 'expired');
    const returnTo = localPath(textIn(form, 'return_to'));
    const isUndone = form.has('undone');
    const kept = keptIn(form);
    const { store, sha256 } = web.site;
    const token = await store.read((reader) => tokenWith(reader, textIn(form, 'token'), sha256));
    if (!token) {
      const error = 'This access token is unknown or was revoked. Use another one.';
      return showSignIn(web, exchange, { returnTo, isUndone, error, kept });
    }
    const session = { name: 'session', value: web.sessions.issue(token), maxAge: sessionSeconds } as const;
    const cookies = [session, noCookie('visit')];
    if (!kept) return web.redirect(exchange, returnTo, isUndone ? undone : null, cookies);
    if (kept.path.startsWith('/me/') && !['', token.user_id].includes(kept.user)) {
      const text = 'Another user filled in the form that was kept, so it is not shown. Nothing was saved.';
      return web.redirect(exchange, returnTo, { tone: 'bad', text }, cookies);
    }
    const context = web.anonymousContext(exchange);
    const page = continuePage(context, kept, web.csrfFor(session.value, token.user_id));
    return web.answer(exchange, 200, context, page, withOwnScripts, cookies);
  };

  /** From a page that has rejected a form, which is kept. */
  const signInAgain = async (exchange: Exchange): Promise<Response> => {
    const form = await web.checkedForm(exchange, 'session', 'expired');
    const kept = keptIn(form);
    return showSignIn(web, exchange, { returnTo: kept?.path ?? '/organizations', error: null, kept });
  };

  const signOut = async (exchange: Exchange): Promise<Response> => {
    const cookie = cookieOf(exchange, 'session');
    if (cookie === null) return web.redirect(exchange, '/sign_in', null);
    await web.checkedForm(exchange, 'session', 'stranger');
    await web.sessions.end(web.site.store, cookie);
    return web.redirect(exchange, '/sign_in', { tone: 'good', text: 'You are signed out.' }, [noCookie('session')]);
  };

  const signInForm = (exchange: Exchange): Promise<Response> =>
    showSignIn(web, exchange, {
      returnTo: localPath(exchange.query('return_to')[0]),
      isUndone: exchange.query('undone').length > 0,
      error: null,
    });
  mountRoute(routes, '/sign_in', { GET: signInForm, POST: signIn }, { isPage: true });
  mountRoute(routes, '/sign_in/again', { POST: signInAgain }, { isPage: true });
  mountRoute(routes, '/sign_out', { POST: signOut }, { isPage: true });
}

const undone: Flash = {
  tone: 'bad',
  text: 'You are signed in again. If the page does not show the change yet, press the button again.',
};

function keptIn(form: FormData): KeptForm | null {
  const path = localPath(textIn(form, 'kept_path'));
  const fields = textIn(form, 'kept_fields');
  return /\/(new|edit)(\?|$)/.test(path) && fields !== '' ? { path, fields, user: textIn(form, 'kept_user') } : null;
}

/** The users of the known tokens that exist in the store. */
const demoUsers = (web: WebContext): Promise<readonly DemoUser[]> =>
  web.site.store.read(async (reader) => {
    const users: DemoUser[] = [];
    for (const token of web.knownTokens) {
      const row = await tokenWith(reader, token, web.site.sha256);
      const user = row && (await reader.get('users', row.user_id));
      if (!row || !user) continue;
      const { description, permission } = row;
      users.push({ name: user.name, email: user.email, token, description, permission });
    }
    return users;
  });
