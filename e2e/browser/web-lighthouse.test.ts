// Not in CI, because it installs Lighthouse: `npm run test:long -- --project e2e lighthouse`.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installRuntime } from '../../scripts/lib/runtimes.mjs';
import { connectToChromium, describeInChromium } from './chromium.js';
import { chromiumProgram } from './chromium-server.js';
import { openSession, serveWebSite, signIn, type WebSite } from './web-site.js';

interface Report {
  readonly categories: Readonly<
    Record<
      string,
      { readonly id: string; readonly score: number; readonly auditRefs: readonly { readonly id: string }[] }
    >
  >;
  readonly audits: Readonly<Record<string, { readonly score: number | null; readonly title: string }>>;
}

const brand = '/organizations/5';

const programOf = (release: string): string => {
  const program = installRuntime(release);
  if (!program) throw new Error(`${release} could not be installed from npm.`);
  return program;
};

describeInChromium('Lighthouse', () => {
  let site: WebSite;
  let browser: Browser;
  let cookie: string;
  let lighthouse: (url: string, cookie: string) => Promise<Report>;

  beforeAll(async () => {
    // It needs a later version of Node than the packages.
    const [node, program] = [programOf('node@22'), programOf('lighthouse@13')];
    const env = { ...process.env, CHROME_PATH: chromiumProgram() };
    lighthouse = async (url, session) => {
      const { stdout } = await promisify(execFile)(
        node,
        [
          program,
          url,
          '--quiet',
          '--output=json',
          '--chrome-flags=--headless=new --no-sandbox',
          '--only-categories=accessibility,best-practices,seo',
          `--extra-headers=${JSON.stringify({ Cookie: session })}`,
        ],
        { env, maxBuffer: 64 * 1024 * 1024 },
      );
      return JSON.parse(stdout);
    };
    site = await serveWebSite();
    browser = await connectToChromium();
    const { page, context } = await openSession(browser, site);
    await signIn(page, 'Ada Okafor');
    cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
    await context.close();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  // Performance depends on the machine.
  test.each([
    '/sign_in',
    brand,
    `${brand}/campaigns`,
    `${brand}/campaigns/new`,
    `${brand}/campaigns/3`,
    `${brand}/campaigns/1/publish/confirm`,
    `${brand}/campaigns/actions?action=pause&id=3&id=6`,
    `${brand}/members`,
    `${brand}/search?name=w`,
    '/me/social_accounts',
  ])('gives %s 100 points for accessibility, best practices and SEO', async (path) => {
    const { categories, audits } = await lighthouse(site.url + path, cookie);
    const lost = Object.values(categories).flatMap(({ id, score, auditRefs }) =>
      score === 1
        ? []
        : [id, ...auditRefs.flatMap((ref) => (audits[ref.id]?.score === 0 ? audits[ref.id]?.title : []))],
    );
    expect(lost).toEqual([]);
    expect(Object.keys(categories)).toHaveLength(3);
  });
});
