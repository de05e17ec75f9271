import type { Hono } from 'hono';
import type { AppEnv } from '../http/html-renderer.js';
import { stylesheet } from './assets.generated.js';

/** The name changes with the content, so browsers may cache it permanently. */
export const stylePath = `/assets/mkt-${stylesheet.version}.css`;
export const iconPath = '/assets/icon.svg';

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#5b5bd6"/>' +
  '<path d="M8 22V10l8 8 8-8v12" fill="none" stroke="#fff" stroke-width="3" stroke-linejoin="round" stroke-linecap="round"/></svg>';

/** Without a session, crawlers find only the sign-in page and the API reference (D167). */
const robots = 'User-agent: *\nDisallow:\n';

const aDay = 'public, max-age=86400';
const forever = 'public, max-age=31536000, immutable';

export function mountAsset(routes: Hono<AppEnv>, path: string, type: string, text: string, caching = forever): void {
  routes.get(path, (c) => c.env.exchange.respond(200, text, { 'Content-Type': type, 'Cache-Control': caching }));
}

export function mountAssets(routes: Hono<AppEnv>): void {
  mountAsset(routes, stylePath, 'text/css; charset=utf-8', stylesheet.text);
  mountAsset(routes, iconPath, 'image/svg+xml', icon, aDay);
  mountAsset(routes, '/robots.txt', 'text/plain; charset=utf-8', robots, aDay);
}
