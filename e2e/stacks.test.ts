import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { freePort } from '../packages/server/test/support/free-port.js';
import { programOf } from '../scripts/lib/runtimes.mjs';
import { chromiumUrl, connectToChromium, describeInChromium } from './browser/chromium.js';
import { type Block, blocksOf, root } from './support/docs/blocks.js';
import { install, type Packed, packAll } from './support/packed.js';

// `npm run test:long`: the recipes of the guide as a reader follows them, with the packages that are published, which are packed
// first: minutes on a busy machine. MKT_PACKED names a folder of tarballs to use instead, for one recipe after the other. npm gets
// nothing newer than this day, so that a run can be repeated.
const before = '--before=2026-11-22';
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });
const run = promisify(execFile);
const guide = 'docs/guides/stacks.md';
const readme = 'packages/mock-server/README.md';

interface Recipe {
  readonly title: string;
  readonly packages: readonly string[];
  readonly files: ReadonlyMap<string, string>;
  /** Run in their order; the last one is the test, or serves a page until it is stopped. */
  readonly commands: readonly string[];
}

/** Headings of level 2 and 3 that a block of a page is below. */
function headingsOf({ page, line }: Block): string[] {
  let headings: string[] = [];
  for (const text of readFileSync(join(root, page), 'utf8').split('\n').slice(0, line)) {
    const [, level = '', title = ''] = /^(##|###) (.+)/.exec(text) ?? [];
    if (level === '##') headings = [title];
    if (level === '###') headings = [headings[0] ?? '', title];
  }
  return headings;
}

/** What the blocks say. The first line of a file's block is a comment with its path. */
function recipe(title: string, blocks: readonly Block[]): Recipe {
  const lines = blocks.filter(({ language }) => language === 'sh').flatMap(({ code }) => code.trim().split('\n'));
  const isInstall = (line: string) => line.startsWith('npm install ');
  return {
    title,
    packages: lines.filter(isInstall).flatMap((line) =>
      line
        .split(' ')
        .slice(2)
        .filter((word) => !word.startsWith('-')),
    ),
    files: new Map(
      blocks.flatMap(({ code }) => {
        const path = /^\/\/ (\S+)\n/.exec(code)?.[1];
        return path === undefined ? [] : [[path, code]];
      }),
    ),
    commands: lines.filter((line) => !isInstall(line)),
  };
}

/** A section with subsections has one recipe for each of these. They have its blocks, too. */
function recipesOf(page: string): Recipe[] {
  const blocks = blocksOf(page).map((block) => ({ block, headings: headingsOf(block) }));
  const titles = new Set(blocks.map(({ headings }) => headings.join(': ')));
  return [...titles]
    .filter((title) => ![...titles].some((other) => other.startsWith(`${title}: `)))
    .map((title) =>
      recipe(
        title,
        blocks.filter(({ headings }) => `${title}: `.startsWith(`${headings.join(': ')}: `)).map(({ block }) => block),
      ),
    );
}

const vite = recipesOf(readme).find(({ title }) => title === 'Five minutes: In a browser') as Recipe;
const recipes: readonly Recipe[] = [
  {
    title: 'Vite',
    packages: ['vite', 'msw@2', '@mkt/mock-server'],
    files: new Map([
      ...vite.files,
      ['index.html', '<html lang="en"><script type="module" src="/src/main.ts"></script></html>'],
    ]),
    commands: [...vite.commands, 'npx vite --port 5173'],
  },
  ...recipesOf(guide),
];

const count = (page: Page, url: string) =>
  page.evaluate(async (target) => {
    const headers = { Accept: 'application/json', Authorization: 'Bearer mkt_demo_ada_write' };
    const response = await fetch(target, { headers }).catch(() => null);
    return response?.headers.get('total-count') ?? 'not sent';
  }, url);

const png = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0, 0, 0, 0];

/** The content type of an image that was uploaded and read by its URL, from the API at `url`. In a page and in tests. */
async function upload({ url, bytes }: { url: string; bytes: readonly number[] }): Promise<string | null> {
  const headers = { Accept: 'application/json', Authorization: 'Bearer mkt_demo_ada_write' };
  const body = new FormData();
  body.append('organization[logo]', new Blob([Uint8Array.from(bytes)]), 'logo.png');
  const response = await fetch(`${url}/organizations/5.json`, { method: 'PATCH', headers, body });
  const { logo_url } = await response.json();
  return (await fetch(logo_url)).headers.get('content-type');
}
/** jsdom sends no files. */
const cannotUpload = ['Vitest: jsdom', 'axios and Angular'];

type Look = (page: Page, url: string, folder: string) => Promise<void>;
/** What a page of a recipe does in a browser. */
const looks: Readonly<Record<string, Look>> = {
  async Vite(page, url) {
    await page.goto(url);
    await page.locator('mkt-panel').waitFor({ state: 'attached' });
    expect(await count(page, 'https://api.example.com/organizations/5/campaigns.json')).toBe('45');
    expect(await page.evaluate(upload, { url: 'https://api.example.com', bytes: png })).toBe('image/png');
    expect(await count(page, `${decoyUrl}/organizations.json`)).toBe('not sent');
    await page.getByRole('button', { name: 'Mock', exact: true }).click();
    await page.getByRole('button', { name: 'No connection', exact: true }).click();
    await page.getByText('fault_1 was added.').waitFor();
    expect(await count(page, 'https://api.example.com/organizations.json')).toBe('not sent');
  },
  async 'Next.js'(page, url, folder) {
    const heading = page.getByRole('heading', { level: 1 });
    // The development server passes on what React says about the server's components.
    const errors: string[] = [];
    page.on('console', (message) => message.text().includes('Only plain objects') && errors.push(message.text()));
    await page.goto(url);
    expect(await heading.textContent()).toBe('45 campaigns');
    // A page of a list, as a property of a client component.
    expect(await page.getByRole('listitem').count()).toBe(20);
    await page.waitForLoadState('networkidle');
    expect(errors).toEqual([]);
    await page.getByRole('button', { name: 'Mock', exact: true }).click();
    await page.getByRole('button', { name: 'Error 503', exact: true }).click();
    await page.getByText('fault_1 was added.').waitFor();
    await page.getByRole('button', { name: 'Remove fault_1' }).click();
    await page.getByText('fault_1 was removed.').waitFor();
    expect(await page.evaluate(upload, { url: `${url}/mock`, bytes: png })).toBe('image/png');
    await page.evaluate(async () => {
      const headers = { Accept: 'application/json', Authorization: 'Bearer mkt_demo_ada_write' };
      await fetch('/mock/organizations/5/campaigns/1.json', { method: 'DELETE', headers });
      await fetch('/mock/organizations/5/campaigns/20/publish', { method: 'POST', headers });
    });
    // After an edit Next.js loads the modules again.
    for (const file of ['app/mock/[...path]/route.mock.ts', 'app/page.tsx'])
      writeFileSync(
        join(folder, file),
        `${readFileSync(join(folder, file), 'utf8').replace('</h1>', ', edited</h1>')}\n`,
      );
    await expect
      .poll(async () => (await page.goto(url)) && heading.textContent(), { timeout: 30_000 })
      .toContain('edited');
    expect(await heading.textContent()).toBe('44 campaigns, edited');
  },
  async Storybook(page, url) {
    for (const [story, text] of [
      ['campaigns', '45 campaigns'],
      ['service-down', 'Try again later.'],
    ]) {
      await page.goto(`${url}/iframe.html?id=campaigns--${story}&viewMode=story`);
      await page.getByText(text as string).waitFor();
    }
    await page.goto(`${url}/iframe.html?id=campaigns--campaigns&viewMode=story`);
    await page.getByText('45 campaigns').waitFor();
    expect(await page.evaluate(upload, { url: 'https://api.example.com', bytes: png })).toBe('image/png');
    expect(await count(page, `${decoyUrl}/organizations.json`)).toBe('not sent');
    // The page that is left ends its worker, which the next one would need.
    const sent: string[] = [];
    await page.route('https://api.example.com/**', (route) => {
      sent.push(route.request().url());
      return route.abort();
    });
    for (const _ of Array(3)) {
      await page.goto(`${url}/?path=/story/campaigns--campaigns`);
      await page.frameLocator('#storybook-preview-iframe').getByText('45 campaigns').waitFor();
      await page.goto(`${url}/iframe.html?id=campaigns--campaigns&viewMode=story`);
      await page.getByText('45 campaigns').waitFor();
    }
    expect(sent).toEqual([]);
  },
};

/** Commands after which a recipe is looked at once more, as it runs in production. */
const production: Readonly<Record<string, { commands: readonly string[]; look: Look }>> = {
  'Next.js': {
    commands: ['npx next build', 'MOCK=1 npx next build', 'MOCK=1 npx next start --port 3000'],
    async look(page, url) {
      await page.goto(url);
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('45 campaigns, edited');
      expect(await page.getByRole('listitem').count()).toBe(20);
    },
  },
};

/** Files that a reader has already, by recipe. */
const existing = (title: string): Readonly<Record<string, string>> => ({
  ...(title === 'axios and Angular' && {
    'limits.test.mjs': readFileSync(join(root, 'e2e/stacks/limits.mjs'), 'utf8'),
  }),
  ...(title === 'Generated clients' && { 'openapi.json': readFileSync(join(root, 'docs/openapi.json'), 'utf8') }),
  // The page of a reader who has also followed the README: its own mock must not respond.
  ...(title === "Playwright: In the test's process" && Object.fromEntries(vite.files)),
  ...(title.startsWith('Playwright') && {
    'index.html': '<html lang="en"><p></p><script type="module" src="/app.js"></script></html>',
    'app.js': `${title === "Playwright: In the test's process" ? "import './src/main.ts';\n" : ''}const organization = import.meta.env.VITE_API_URL + '/organizations/5';
const headers = { Accept: 'application/json', Authorization: 'Bearer mkt_demo_ada_write' };
const text = document.querySelector('p');
const list = await fetch(organization + '/campaigns.json', { headers });
if (!list.ok) {
  text.role = 'alert';
  text.textContent = 'Try again later.';
} else {
  // An upload, an image of a response, and a URL in a response that is followed.
  const body = new FormData();
  const draw = document.createElement('canvas');
  body.append('organization[logo]', await new Promise((drawn) => draw.toBlob(drawn)), 'logo.png');
  const { logo_url, url } = await (await fetch(organization + '.json', { method: 'PATCH', headers, body })).json();
  const image = document.createElement('img');
  const isShown = await new Promise((shown) => {
    image.onload = () => shown(true);
    image.onerror = () => shown(false);
    image.src = logo_url;
    document.body.append(image);
  });
  const { name } = await (await fetch(url, { headers })).json();
  text.textContent = isShown && name ? list.headers.get('Total-Count') + ' campaigns' : 'No image or no name.';
}`,
  }),
});

let folder: string;
let packed: readonly Pick<Packed, 'name' | 'file'>[];
let browser: Browser;
let decoyUrl: string;
/** Requests that left a test: to an address with a typo, which the mock's guard must stop. */
const received: string[] = [];
const decoy = createServer(({ method, url }, response) => {
  received.push(`${method} ${url}`);
  response.setHeader('Access-Control-Allow-Origin', '*').setHeader('Access-Control-Allow-Headers', '*').end('{}');
});

/** MSW 3 needs Node 22. */
const nodeFor = (msw: string): string => (msw === 'msw@3' ? programOf('node@22') : process.execPath);

const tsc = join(root, 'node_modules/typescript/bin/tsc');
const strict = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--lib', 'es2023,dom,dom.iterable'];
const compilerOptions = [...strict, '--module', 'esnext', '--moduleResolution', 'bundler', '--jsx', 'preserve'];

/** Shows a browser what a command serves, and stops it. */
async function visit(command: string, options: { cwd: string; env: NodeJS.ProcessEnv }, look: Look): Promise<void> {
  // A process group of its own: npx does not pass signals on.
  const server = spawn('sh', ['-c', command], { ...options, detached: true });
  let output = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (text) => (output += text));
  const url = `http://localhost:${/--port (\d+)/.exec(command)?.[1]}`;
  const page = await browser.newPage();
  try {
    await expect.poll(() => fetch(url).then(({ ok }) => ok), { timeout: 120_000, interval: 500 }).toBe(true);
    await look(page, url, options.cwd);
  } catch (error) {
    throw new Error(`${command}\n${output}`, { cause: error });
  } finally {
    await page.close();
    if (server.pid !== undefined) process.kill(-server.pid, 'SIGKILL');
  }
}

describeInChromium('the recipe for', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mkt-stacks-'));
    const { MKT_PACKED: ready } = process.env;
    packed = ready
      ? readdirSync(ready).map((file) => ({
          name: file.replace(/^mkt-(.+)-\d.*$/, '@mkt/$1'),
          file: join(ready, file),
        }))
      : await packAll(folder);
    await new Promise<void>((listening) => decoy.listen(0, '127.0.0.1', listening));
    decoyUrl = `http://127.0.0.1:${(decoy.address() as AddressInfo).port}`;
    browser = await connectToChromium();
  }, 1_800_000);
  afterAll(async () => {
    await browser?.close();
    decoy.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  describe.each(recipes)('$title', ({ title, packages, files, commands }) => {
    let project: string;
    beforeAll(async () => {
      project = mkdtempSync(join(folder, 'project-'));
      const names = packages.filter((name) => !name.startsWith('@mkt/'));
      const ours = packed.filter(
        ({ name }) => packages.includes(name) || name === '@mkt/sdk' || name === '@mkt/mock-server',
      );
      await install(project, ours, [before, ...names]);
      // As `npm init -y` of npm 11 writes it.
      await run('npm', ['pkg', 'set', 'type=commonjs'], { cwd: project });
    });

    const usesMsw = packages.includes('msw@2');
    // @msw/playwright needs MSW 2.
    const onlyMsw2 = packages.includes('@msw/playwright');
    const versions = usesMsw
      ? ['msw@2', ...(onlyMsw2 ? [] : ['msw@3']), ...(title === 'Vitest: Node' ? ['msw@2.12.0'] : [])]
      : ['no MSW'];
    test.each(versions)('works with %s', async (msw) => {
      const program = nodeFor(msw);
      const ports = new Map<string, number>();
      for (const shown of ['3000', '4010', '5173', '6006']) ports.set(shown, await freePort());
      const adapted = (text: string): string =>
        text.replaceAll(/(?<=localhost:|127\.0\.0\.1:|--port )\d{4}\b/g, (port) => String(ports.get(port)));
      const env = {
        ...process.env,
        PATH: [dirname(program), process.env.PATH].join(delimiter),
        CI: '1',
        MSW: msw,
        BROWSER: 'none',
        NEXT_TELEMETRY_DISABLED: '1',
        STORYBOOK_DISABLE_TELEMETRY: '1',
        // Of Playwright Test.
        PW_TEST_CONNECT_WS_ENDPOINT: await chromiumUrl(),
      };
      const sh = (command: string) => run('sh', ['-c', adapted(command)], { cwd: project, env, maxBuffer: 64 << 20 });
      if (usesMsw && msw !== 'msw@2') await sh(`npm install --ignore-scripts --no-save ${before} ${msw}`);

      for (const [path, code] of [...files, ...Object.entries(existing(title))]) {
        const file = join(project, path);
        mkdirSync(dirname(file), { recursive: true });
        // The mock whose guard MSW has.
        const guardian = /(\w+)\.guard/.exec(code)?.[1];
        const network = /(\w+)\.(?:listen|start)\(/.exec(code)?.[1];
        const type = path.endsWith('.ts') ? ': (given: { url: string; bytes: number[] }) => Promise<unknown>' : '';
        const uploading = cannotUpload.includes(title)
          ? ''
          : `
const upload${type} = ${upload};
test('an upload, and its image', async () => {
  ${network}.use(...createMarketplaceMock().handlers);
  expect(await upload({ url: 'https://api.example.com', bytes: ${JSON.stringify(png)} })).toBe('image/png');
});
`;
        const guarded = path.startsWith('test/')
          ? `${code}${uploading}
test('a request to a wrong address is not sent, and recorded', async () => {
  const headers = { Accept: 'application/json' };
  await expect(fetch('${decoyUrl}/organizations.json', { headers })).rejects.toThrow();
  expect(() => ${guardian}.assertNoUnexpected()).toThrow();
  ${guardian}.requests.clear();
});
`
          : code;
        const provider = `playwright({ connectOptions: { wsEndpoint: '${await chromiumUrl()}' } })`;
        writeFileSync(file, adapted(guarded).replace('playwright()', provider));
      }

      const typescript = [...files.keys()].filter((path) => /\.tsx?$/.test(path));
      if (typescript.length > 0) {
        const ofNode = packages.includes('@types/node') ? ['@types/node/index.d.ts'] : [];
        const types = ['vite/client.d.ts', '@types/react/index.d.ts', ...ofNode].filter((file) =>
          existsSync(join(project, 'node_modules', file)),
        );
        const args = [tsc, ...compilerOptions, ...types.map((file) => `node_modules/${file}`), ...typescript];
        const compiled = await run(process.execPath, args, { cwd: project }).catch(
          (error: { stdout: string }) => error,
        );
        expect(compiled.stdout).toBe('');
      }

      received.length = 0;
      const look = looks[title];
      for (const command of look ? commands.slice(0, -1) : commands) {
        // Their five seconds are too short on a busy machine.
        const patient = /\b(vitest run|jest)\b/.test(command) ? `${command} --testTimeout=60000` : command;
        await sh(patient).catch(({ stdout, stderr }) => expect.fail(`${command}\n${stdout}${stderr}`));
      }
      if (look) await visit(adapted(commands.at(-1) ?? ''), { cwd: project, env }, look);
      const built = production[title];
      if (built) {
        const options = { cwd: project, env: { ...env, NODE_ENV: 'production' }, maxBuffer: 64 << 20 };
        const [build = '', buildWithMock = '', start = ''] = built.commands.map(adapted);
        const outputOf = async (command: string): Promise<string> => {
          const { stdout } = await run('sh', ['-c', command], options).catch(({ stdout, stderr }) =>
            expect.fail(`${command}\n${stdout}${stderr}`),
          );
          return stdout;
        };
        // The list of routes.
        expect(await outputOf(build)).not.toContain('/mock/');
        expect(await outputOf(buildWithMock)).toContain('/mock/');
        await visit(start, options, built.look);
      }
      expect(received).toEqual([]);
    });

    test.runIf(onlyMsw2)('says with MSW 3 that it needs MSW 2', async () => {
      const options = { cwd: project, maxBuffer: 64 << 20 };
      await run('npm', ['install', '--ignore-scripts', '--no-save', '--legacy-peer-deps', 'msw@3'], options);
      const code = `
        import { createMarketplaceMock } from '@mkt/mock-server';
        import { withMswPlaywright } from '@mkt/mock-server/playwright';
        await withMswPlaywright({ context: () => ({}) }, createMarketplaceMock());`;
      const program = run(nodeFor('msw@3'), ['--input-type=module', '-e', code], options);
      await expect(program).rejects.toThrow(
        'This version of @msw/playwright needs MSW 2, but MSW 3 is installed. Run: npm install --save-dev msw@2',
      );
    });
  });
});
