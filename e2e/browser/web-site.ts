import { testControls } from '@mkt/mock-server/node';
import { demoSeed, demoTokens, memoryStore, type Store } from '@mkt/server';
import { type ServeOptions, serve } from '@mkt/server/node';
import type { Browser, BrowserContext, Page } from 'playwright-core';

export interface WebSite {
  readonly url: string;
  readonly store: Store;
  readonly controlToken: string;
  json(token: string, path: string): Promise<Response>;
  close(): Promise<void>;
}

/** The reference server as people start it: demo data in memory, control verbs and console on. */
export async function serveWebSite(options: Pick<ServeOptions, 'prefillAllow'> = {}): Promise<WebSite> {
  const store = memoryStore();
  const controlToken = 'the control token of these tests';
  const server = await serve({
    ...options,
    store,
    seed: demoSeed(),
    port: 0,
    extend: testControls({ token: controlToken, seed: demoSeed }),
  });
  return {
    url: server.url,
    store,
    controlToken,
    json: (token, path) =>
      fetch(server.url + path, { headers: { accept: 'application/json', authorization: `Bearer ${token}` } }),
    close: () => server.close(),
  };
}

export interface BrowserSession {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complained about: refused scripts, styles and pictures, failed loads, dialogs. */
  readonly problems: string[];
}

export interface SessionOptions {
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
  readonly timezoneId?: string;
  /** Whether scripts may run, ours in the page among them; by default none may. */
  readonly scripts?: boolean;
}

export async function openSession(
  browser: Browser,
  { url }: WebSite,
  options: SessionOptions = {},
): Promise<BrowserSession> {
  const { width = 1280, colorScheme = 'light', timezoneId, scripts = false } = options;
  const context = await browser.newContext({
    baseURL: url,
    colorScheme,
    ...(timezoneId && { timezoneId }),
    viewport: { width, height: 800 },
    javaScriptEnabled: scripts,
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    // The page itself shows a response with an error status.
    if (message.type() === 'error' && !/responded with a status of 4\d\d/.test(message.text()))
      problems.push(message.text());
  });
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('requestfailed', (request) => {
    const { errorText = '' } = request.failure() ?? {};
    // Who leaves a page stops what it still loads.
    if (errorText !== 'net::ERR_ABORTED') problems.push(`${request.url()}: ${errorText}`);
  });
  return { page, context, problems };
}

/** Keeps no page in the browser's memory: going back to one requests it again. */
export const forgetPages = (page: Page): Promise<unknown> =>
  page.addInitScript(() => addEventListener('unload', () => undefined));

/** Back and Forward, of pages that are requested again. */
export async function backAndForward(page: Page): Promise<void> {
  for (const step of [-1, 1]) {
    const loaded = page.waitForEvent('load');
    await page.evaluate((delta) => void setTimeout(() => history.go(delta)), step);
    await loaded;
  }
}

/** Signs in as one of the demo people. The page stays where it is. */
export async function signIn(page: Page, name: string, permission: 'read' | 'write' = 'write'): Promise<void> {
  await page.context().clearCookies();
  const form = await (await page.request.get('/sign_in')).text();
  const [, csrf = ''] = /name="csrf_token" value="([^"]+)"/.exec(form) ?? [];
  const token = `${name.split(' ', 1)[0]?.toLowerCase()}_${permission}` as keyof typeof demoTokens;
  const sent = { csrf_token: csrf, token: demoTokens[token] };
  const response = await page.request.post('/sign_in', { form: sent, maxRedirects: 0 });
  if (response.status() !== 303) throw new Error(`Signing in as ${name}: ${response.status()}`);
}
