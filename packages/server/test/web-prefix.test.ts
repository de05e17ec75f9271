import { beforeEach, expect, test } from 'vitest';
import { png } from './support/pictures.js';
import { demoSite, type Site, Visitor } from './support/visitor.js';

// A proxy serves the server below a path of its own, and takes the path off what it passes on.
const prefix = '/shop/mkt';

let site: Site;
let visitor: Visitor;
beforeEach(async () => {
  site = await demoSite({}, { baseUrl: `https://mkt.example${prefix}/` });
  const proxy = {
    ...site.app,
    fetch(request: Request) {
      const url = new URL(request.url);
      if (!url.pathname.startsWith(`${prefix}/`)) throw new Error(`${url.pathname} leads past ${prefix}`);
      url.pathname = url.pathname.slice(prefix.length);
      return site.app.fetch(new Request(url, request));
    },
  };
  visitor = new Visitor(proxy, 'https://mkt.example');
});

const below = (path: string): string => prefix + path;

const signIn = async (returnTo = ''): Promise<string | null> => {
  const page = await visitor.submit(
    below(`/sign_in${returnTo}`),
    below('/sign_in'),
    { token: 'mkt_demo_ada_write' },
    'type="password"',
  );
  return page.location;
};

test('every URL on a page is below the path of the base URL', async () => {
  await signIn();
  for (const path of [
    '/organizations',
    '/organizations/5',
    '/organizations/5/campaigns?page=2',
    '/me/address',
    '/me/address/edit',
    '/docs',
    '/no',
  ]) {
    const page = await visitor.get(below(path));
    const addresses = page.attributes().filter(([name]) => /^(href|src|action|formaction|data-page)$/.test(name));
    const own = addresses.filter(([, value]) => value.startsWith('/'));
    expect(own.length).toBeGreaterThan(8);
    expect(own.filter(([, value]) => !value.startsWith(`${prefix}/`))).toEqual([]);
    expect(page.text).not.toContain(prefix + prefix);
  }
});

test('signing in, a logo, a form and an action work below the path', async () => {
  const asked = await visitor.get(below('/organizations/5/campaigns'));
  expect(asked.location).toBe(below('/sign_in?return_to=%2Forganizations%2F5%2Fcampaigns'));
  expect(await signIn('?return_to=%2Forganizations%2F5%2Fcampaigns')).toBe(below('/organizations/5/campaigns'));

  const logo = (await visitor.get(below('/organizations/5'))).attribute('img.picture', 'src') ?? '';
  expect((await visitor.get(logo)).headers.get('content-type')).toBe('image/png');

  const form = new FormData();
  for (const [name, value] of Object.entries(
    (await visitor.get(below('/organizations/new'))).form(below('/organizations')),
  ))
    form.set(name, value);
  form.set('organization[name]', 'Umbrella');
  form.set('organization[logo]', new File([png as BlobPart], 'logo.png'));
  const made = await visitor.post(below('/organizations'), form);
  expect(made.location).toBe(below('/organizations/11'));
  expect((await visitor.follow(made)).find('.flash')).toBe('Brand created.');

  const campaign = below('/organizations/5/campaigns/1');
  const published = await visitor.submit(`${campaign}/publish/confirm`, `${campaign}/publish`);
  expect(published.location).toBe(campaign);
  expect((await visitor.follow(published)).find('.head .badge')).toBe('active');
});

test('text that looks like an attribute is not changed', async () => {
  await signIn();
  const name = '<a href="/organizations"> href="/x"';
  await visitor.submit(below('/organizations/5/edit'), below('/organizations/5'), { 'organization[name]': name });
  expect((await visitor.get(below('/organizations/5'))).find('h1')).toBe(name);
});

test('the curl command contains the URL that clients use', async () => {
  await signIn();
  const command = (await visitor.get(below('/organizations'))).find('.developers code');
  expect(command).toContain(`curl 'https://mkt.example${prefix}/organizations.json'`);
});
