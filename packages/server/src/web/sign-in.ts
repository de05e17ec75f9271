import type { Hono } from 'hono';
import type { Exchange } from '../http/exchange.js';
import type { AppEnv } from '../http/html-renderer.js';
import { cookieOf, noCookie } from './cookies.js';
import { pageAt } from './page-at.js';
import { type DemoUser, signInPage } from './pages/sign-in.js';
import { localPath } from './paths.js';
import { sessionSeconds } from './sessions.js';
import type { WebContext } from './web-context.js';

/** Sign-in pages that were open for longer must be reloaded. */
const visitSeconds = 24 * 60 * 60;

/** `/sign_in` and `/sign_out`. `offered`: public secrets, which are offered if they exist in the store. */
export function mountSignIn(routes: Hono<AppEnv>, web: WebContext, offered: readonly string[]): void {
  const show = async (exchange: Exchange, returnTo: string, error: string | null): Promise<Response> => {
    const context = await web.contextOf(exchange);
    const kept = cookieOf(exchange, 'visit');
    const visit = kept ?? web.site.random(18);
    const people = await demoUsers(web, offered);
    const page = signInPage({ context, csrf: web.csrfFor(visit), returnTo, people, error });
    const cookies = kept === null ? [{ name: 'visit', value: visit, maxAge: visitSeconds } as const] : [];
    return web.answer(exchange, error === null ? 200 : 422, context, page, {}, cookies);
  };

  const signIn = async (exchange: Exchange): Promise<Response> => {
    const form = await web.checkedForm(exchange, 'visit', 'stranger');
    const returnTo = localPath(textIn(form, 'return_to'));
    const digest = web.site.sha256(textIn(form, 'token').trim());
    const token = await web.site.store.read((reader) => reader.find('access_tokens', 'byDigest', [digest]));
    if (!token || token.revoked_at !== null)
      return show(exchange, returnTo, 'This access token is unknown or was revoked. Use another one.');
    const session = { name: 'session', value: web.sessions.issue(token), maxAge: sessionSeconds } as const;
    return web.redirect(exchange, returnTo, null, [session, noCookie('visit')]);
  };

  const signOut = async (exchange: Exchange): Promise<Response> => {
    const cookie = cookieOf(exchange, 'session');
    if (cookie === null) return web.redirect(exchange, '/sign_in', null);
    await web.checkedForm(exchange, 'session', 'stranger');
    await web.sessions.end(web.site.store, cookie);
    return web.redirect(exchange, '/sign_in', { tone: 'good', text: 'You are signed out.' }, [noCookie('session')]);
  };

  pageAt(routes, '/sign_in', {
    GET: (exchange) => show(exchange, localPath(exchange.query('return_to')[0]), null),
    POST: signIn,
  });
  pageAt(routes, '/sign_out', { POST: signOut });
}

const textIn = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
};

const demoUsers = (web: WebContext, offered: readonly string[]): Promise<readonly DemoUser[]> =>
  web.site.store.read(async (reader) => {
    const people: DemoUser[] = [];
    for (const token of offered) {
      const row = await reader.find('access_tokens', 'byDigest', [web.site.sha256(token)]);
      const user = row && row.revoked_at === null ? await reader.get('users', row.user_id) : null;
      if (!row || !user) continue;
      const { description, permission } = row;
      people.push({ name: user.name, email: user.email, token, description, permission });
    }
    return people;
  });
