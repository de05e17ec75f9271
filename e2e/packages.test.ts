import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Analysis, checkPackage, createPackageFromTarballData, type ResolutionKind } from '@arethetypeswrong/core';
import { endpoints } from '@mkt/sdk/contract';
import { build } from 'esbuild';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { programOf } from '../scripts/lib/runtimes.mjs';
import { chromiumUrl, describeInChromium } from './browser/chromium.js';
import { cleanEnvironment } from './support/mkt.js';
import { install, type Packed, packAll, shell } from './support/packed.js';
import { quickInfo } from './support/quick-info.js';
import { runSuite } from './support/sdk-suite.js';
import { type Serving, serving } from './support/serving.js';

// What a user gets: the tarballs that would be published, installed once into an empty folder. `npm run test:runtimes` runs
// this file on every Node that is supported.
const run = promisify(execFile);
const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('..', import.meta.url));
const SLOW = 300_000;

let folder: string;
let packed: readonly Packed[];
const at = (...path: string[]) => join(folder, ...path);
const inside = (name: string, ...path: string[]) => at('node_modules', name, ...path);
const node = async (...args: string[]): Promise<string> =>
  (await run(process.execPath, args, { cwd: folder })).stdout.trim();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mkt-packages-'));
  packed = await packAll(folder);
  await install(folder, packed, [
    'msw@2',
    'msw3@npm:msw@3',
    '@msw/playwright@0.6',
    'typescript5.4@npm:typescript@5.4.5',
  ]);
  for (const name of ['undici', '@tanstack/query-core'])
    cpSync(join(root, 'node_modules', name), inside(name), { recursive: true });
  cpSync(join(root, 'e2e/packages/consumer'), folder, { recursive: true });
}, SLOW);
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

describe('the tarballs', () => {
  test('hold what is listed in packages/contents.txt and nothing else', async () => {
    // Names of chunks carry a hash and come and go with the code; a folder of them is one line. Changelogs come with the
    // first release, which deletes the text that names docs/start.md.
    const changing = ['CHANGELOG.md', 'docs/start.md'];
    const kind = (path: string) => path.replace(/[\w-]+-[\w-]{8}(\.(d\.)?c?[jt]s(\.map)?)$/, '<chunks>$1');
    const lines = packed.flatMap(({ name, files }) =>
      [...new Set(files.map(({ path }) => `${name}/${kind(path)}`))]
        .filter((path) => !changing.some((file) => path === `${name}/${file}`))
        .sort(),
    );
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('packages/contents.txt');
  });

  test.each(['sdk', 'server', 'mock-server', 'cli'])('of @mkt/%s holds its changelog, once there is one', (name) => {
    const files = packed.find((each) => each.name === `@mkt/${name}`)?.files ?? [];
    expect(files.some(({ path }) => path === 'CHANGELOG.md')).toBe(
      existsSync(join(root, 'packages', name, 'CHANGELOG.md')),
    );
  });

  test.each(['sdk', 'server', 'mock-server', 'cli'])('of @mkt/%s hold what their pages link to', (name) => {
    const own = inside(`@mkt/${name}`);
    const files = readdirSync(join(own, 'docs'), { recursive: true, encoding: 'utf8' });
    const links = ['README.md', ...files.map((file) => join('docs', file))]
      .filter((page) => page.endsWith('.md'))
      .flatMap((page) =>
        [...readFileSync(join(own, page), 'utf8').matchAll(/\]\((?!#)([^)#\s]+)/g)].map(([, link = '']) => ({
          page,
          link,
        })),
      );
    // The URL of the repository is an example until it is public: nothing leads there.
    const { repository } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
    const isPublic = !repository.url.includes('example.');
    const inRepository = `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/main/`;
    const broken = links.filter(({ page, link }) => {
      if (link.startsWith(inRepository)) return !isPublic || !existsSync(join(root, link.slice(inRepository.length)));
      if (/^https?:/.test(link)) return false;
      const file = join(own, dirname(page), link);
      return relative(own, file).startsWith('..') || !existsSync(file);
    });
    expect(broken).toEqual([]);
    expect(links.filter(({ link }) => link.startsWith('docs/'))).not.toEqual([]);
  });

  test.each(['sdk', 'server', 'mock-server', 'cli'])('of @mkt/%s hold each page that their texts name', (name) => {
    const files = packed.find((each) => each.name === `@mkt/${name}`)?.files.map(({ path }) => path) ?? [];
    const text = (path: string) => readFileSync(inside(`@mkt/${name}`, path), 'utf8');
    const titles = files.filter((path) => path.endsWith('.md')).map((path) => /^# (.*)/.exec(text(path))?.[1]);
    const named = files
      .filter((path) => /\.(md|[cm]?js|[cm]?ts|json)$/.test(path))
      .flatMap((path) => [
        ...[...text(path).matchAll(/\bguide \\?"([^"\\]+)/g)].map(([, title]) => ({ path, page: title, is: titles })),
        ...[...text(path).matchAll(/(?<![\w./-])docs\/[\w/-]+\.md\b/g)].map(([page]) => ({ path, page, is: files })),
      ]);
    expect(named.filter(({ page, is }) => !is.includes(page)).map(({ path, page }) => [path, page])).toEqual([]);
    // Each README links to one.
    expect(named).not.toEqual([]);
  });

  test.each([
    ['as ESM', ['--input-type=module', '--eval', "import '@mkt/mock-server'"]],
    ['as CommonJS', ['--eval', "require('@mkt/mock-server')"]],
  ])('of @mkt/mock-server loads without a warning: %s', async (_how, args) => {
    expect(await run(process.execPath, args, { cwd: folder })).toEqual({ stdout: '', stderr: '' });
  });

  test.each(['sdk', 'server', 'mock-server', 'cli'])('of @mkt/%s satisfies publint', async (name) => {
    const { file } = packed.find((each) => each.name === `@mkt/${name}`) as Packed;
    const { buffer, byteOffset, byteLength } = readFileSync(file);
    const tarball = buffer.slice(byteOffset, byteOffset + byteLength);
    const { messages, pkg } = await publint({ strict: true, pack: { tarball } });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  // Who must be able to import the types: ESM and CommonJS, or only ESM. The command line has no types.
  test.each<[string, ignored: ResolutionKind[]]>([
    ['sdk', ['node10']],
    ['mock-server', ['node10']],
    ['server', ['node10', 'node16-cjs']],
  ])('of @mkt/%s have types that resolve as the code does', { timeout: SLOW }, async (name, ignored) => {
    const { file } = packed.find((each) => each.name === `@mkt/${name}`) as Packed;
    const result = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(file))));
    expect(result).toMatchObject({ types: { kind: 'included' } });
    const { problems } = result as Analysis;
    const isExpected = (each: Analysis['problems'][number]) =>
      'resolutionKind' in each &&
      // For programs that run the server, which is ESM only.
      (ignored.includes(each.resolutionKind) || (name === 'mock-server' && each.entrypoint === './node'));
    expect(problems.filter((each) => !isExpected(each))).toEqual([]);
  });

  test('say under which license each library that they hold is', () => {
    const notices = (name: string) => readFileSync(inside(name, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8');
    expect(notices('@mkt/cli')).toMatch(/^conf \d.*\(MIT\)\n\n(.*\n)*?.*Copyright \(c\) Sindre Sorhus/m);
    expect(notices('@mkt/mock-server')).toMatch(/^hono \d/m);
    expect(notices('@mkt/server')).toMatch(/^@picocss\/pico \d/m);
    for (const name of ['@mkt/cli', '@mkt/mock-server', '@mkt/server']) {
      expect(notices(name).match(/Copyright/g)?.length).toBeGreaterThan(5);
    }
  });

  test('of the SDK loads only ky and zod/mini, and no description, with its main entry; nothing for TanStack Query', () => {
    const imports = new Set<string>();
    const visit = (path: string): string => {
      const code = readFileSync(inside('@mkt/sdk', join('dist', path)), 'utf8');
      const found = [...code.matchAll(/(?:from|import)\s*["']([^"']+)["']/g)].map(([, name = '']) => name);
      for (const name of found) if (!name.startsWith('.')) imports.add(name);
      return [code, ...found.filter((name) => name.startsWith('.')).map(visit)].join('\n');
    };
    visit('query.js');
    expect([...imports]).toEqual([]);
    const main = visit('index.js');
    // `#platform` is a file of the SDK: one for Node, another for everything else.
    expect([...imports].sort()).toEqual(['#platform', 'ky', 'zod/mini']);
    // As a string, that is: comments of the schemas say the same.
    expect(main).not.toMatch(/["'`]Number of the campaign/);
    // ky is an ES module only: the CommonJS build holds it, with its license.
    expect(readFileSync(inside('@mkt/sdk', 'dist/index.cjs'), 'utf8')).not.toMatch(/require\(["']ky/);
    expect(readFileSync(inside('@mkt/sdk', 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8')).toMatch(/^ky \d.*\(MIT\)/m);
  });

  test.each([
    ['index.d.ts', []],
    ['index.d.cts', []],
    ['query.d.ts', ['@tanstack/query-core']],
    ['query.d.cts', ['@tanstack/query-core']],
  ])('of the SDK have declarations that need those of no library: %s', (entry, libraries) => {
    const texts = new Map<string, string>();
    const visit = (path: string): void => {
      if (texts.has(path)) return;
      texts.set(path, readFileSync(inside('@mkt/sdk', 'dist', path), 'utf8'));
      for (const name of namesOf(path).filter((each) => each.startsWith('.')))
        visit(name.replace('./', '').replace(/\.(c?)js$/, '.d.$1ts'));
    };
    const namesOf = (path: string) =>
      [...(texts.get(path) ?? '').matchAll(/(?:from|import)\s*\(?["']([^"']+)["']/g)].map(([, name = '']) => name);
    visit(entry);
    expect(texts.size).toBeGreaterThan(2);
    const all = [...texts.keys()].flatMap(namesOf);
    expect(all.filter((name) => !name.startsWith('.'))).toEqual(libraries);
    const declarations = [...texts.values()].join('\n');
    // A name of the DOM's types that those of Node have no global for: a program without `lib: dom` would not compile.
    expect(declarations).not.toContain('BodyInit');
  });

  test('have neither source maps nor a path of the machine that built them', () => {
    const files = packed.flatMap(({ name, files }) => files.map(({ path }) => inside(name, path)));
    const texts = files.filter((file) => /\.(c?js|d\.c?ts|txt|json|md)$/.test(file));
    expect(texts.length).toBeGreaterThan(100);
    expect(files.filter((file) => file.endsWith('.map'))).toEqual([]);
    const naming = (text: string) => text.includes(root) || /^\/\/# sourceMappingURL=/m.test(text);
    expect(texts.filter((file) => naming(readFileSync(file, 'utf8')))).toEqual([]);
  });
});

describe('a program of a user', () => {
  // Under nodenext, MSW 2.15 refers from CommonJS to a library that is ESM only, and MSW 3, which npm picks on Node 22 and newer,
  // is ESM only itself. Both run; a program that compiles without skipLibCheck gets these problems without our packages too.
  const ofMsw = /import\("msw"\)/;

  /** Compiles as a consumer does; gives the problems in the program and, without skipLibCheck, in our declarations. */
  const compile = (files: readonly string[], options: object): string[] => {
    const given = ts.convertCompilerOptionsFromJson(
      {
        target: 'es2022',
        lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
        strict: true,
        skipLibCheck: true,
        types: [],
        typeRoots: [join(root, 'node_modules/@types')],
        outDir: '.',
        ...options,
      },
      folder,
    );
    const program = ts.createProgram(
      files.map((file) => at(file)),
      given.options,
    );
    const checked = program.getSourceFiles().filter(({ fileName }) => !/node_modules\/(?!@mkt\/)/.test(fileName));
    const problems = [
      ...given.errors,
      ...program.getOptionsDiagnostics(),
      ...checked.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
      // File by file: all at once would check every declaration of every library.
      ...checked
        .filter(({ isDeclarationFile }) => !isDeclarationFile)
        .flatMap((file) => program.emit(file).diagnostics),
    ];
    const texts = problems.map(
      ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
    return texts.filter((text) => !ofMsw.test(text));
  };
  /** The values that the declarations of each entry export, without its types. */
  const valuesIn = (entries: readonly string[]): (readonly [entry: string, values: string[]])[] => {
    const lines = entries.map((entry, index) => `export * as entry${index} from '${entry}';`);
    writeFileSync(at('entries.mts'), lines.join('\n'));
    const program = ts.createProgram([at('entries.mts')], { module: ts.ModuleKind.NodeNext, types: [], noLib: true });
    const checker = program.getTypeChecker();
    const statements = [...(program.getSourceFile(at('entries.mts'))?.statements ?? [])] as ts.ExportDeclaration[];
    return statements.map(({ moduleSpecifier }, index) => {
      const entry = checker.getSymbolAtLocation(moduleSpecifier as ts.Expression) as ts.Symbol;
      const values = checker.getExportsOfModule(entry).filter((symbol) => {
        const { flags } = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
        return flags & ts.SymbolFlags.Value && !symbol.declarations?.some(ts.isTypeOnlyExportDeclaration);
      });
      return [entries[index] as string, values.map(({ name }) => name).sort()];
    });
  };
  const facts = `45 20 true 1 ${endpoints.length} function status function function`;

  test('compiles under node16 and runs, as a module and as CommonJS', { timeout: SLOW }, async () => {
    expect(compile(['program.mts', 'program.cts'], { module: 'node16' })).toEqual([]);
    expect(await node('program.mjs')).toBe(facts);
    expect(await node('program.cjs')).toBe(facts);
  });

  test('compiles under nodenext, and runs the server, which is for modules only', { timeout: SLOW }, async () => {
    // Declarations are checked once, here.
    const options = { module: 'nodenext', types: ['node'], skipLibCheck: false };
    expect(compile(['server.mts', 'program.mts', 'program.cts'], options)).toEqual([]);
    expect(await node('server.mjs')).toBe('45');
  });

  test('compiles under bundler resolution, with exact optional properties', { timeout: SLOW }, () => {
    const options = { module: 'esnext', moduleResolution: 'bundler', noEmit: true, exactOptionalPropertyTypes: true };
    expect(compile(['program.mts', 'unhandled.mts'], options)).toEqual([]);
  });

  test('compiles under the resolution of older tools, which do not read exports', { timeout: SLOW }, () => {
    const options = { module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '6.0', noEmit: true };
    expect(compile(['program.cts'], options)).toEqual([]);
  });

  test('compiles under TypeScript 5.4 with the fetch of undici and optimistic updates', { timeout: SLOW }, async () => {
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext'];
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
    const tsc = inside('typescript5.4', 'bin/tsc');
    const failure = await node(tsc, ...options, ...types, 'typed.mts').catch(
      ({ stdout }: { stdout: string }) => stdout,
    );
    expect(failure).toBe('');
  });

  test('finds each value that the types of an entry export, and no other', { timeout: SLOW }, async () => {
    const entries = ['@mkt/sdk', '@mkt/mock-server', '@mkt/server'].flatMap((name) => {
      const { exports } = JSON.parse(readFileSync(inside(name, 'package.json'), 'utf8'));
      return Object.keys(exports).map((path) => name + path.slice(1));
    });
    const declared = valuesIn(entries);
    const imports = declared.map(([entry, values], index) => {
      const names = values.map((value) => `${value} as ${value}${index}`);
      return `import { ${names.join(', ')} } from '${entry}';`;
    });
    const used = declared.flatMap(([, values], index) => values.map((value) => `${value}${index}`));
    expect(used.length).toBeGreaterThan(100);
    const loaded = entries.map((entry) => `Object.keys(await import('${entry}')).sort()`);
    const program = [...imports, `void [${used}];`, `console.log(JSON.stringify([${loaded}]));`].join('\n');
    writeFileSync(at('values.mts'), program);
    const options = { module: 'nodenext', verbatimModuleSyntax: true, isolatedModules: true, types: ['node'] };
    expect(compile(['values.mts'], options)).toEqual([]);
    expect(JSON.parse(await node('values.mjs'))).toEqual(declared.map(([, values]) => values));
  });

  test('gets the SDK by require() where that takes no modules', async () => {
    const flag = '--no-experimental-require-module';
    const known = process.allowedNodeEnvironmentFlags.has('--experimental-require-module');
    expect(await node(...(known ? [flag] : []), 'plain.cjs')).toBe('Marketplace object');
  });

  test('shows the description of each field in an editor', () => {
    const program = `
      import { Marketplace } from '@mkt/sdk';
      import type { CampaignFields } from '@mkt/sdk/contract';
      const acme = new Marketplace({ token: '', baseUrl: '' }).organization(5);
      (await acme.campaigns.get(1)).cpm_amount|;
      (await acme.campaigns.list|()).items[0]?.currency|;
      acme.campaigns.update(1, { max_payout_amount|: 1 });
      const fields: CampaignFields = { name|: 'Autumn' };`;
    expect(quickInfo(folder, program)).toEqual([
      expect.stringContaining('cpm_amount: number: Payout per thousand views: an integer'),
      expect.stringContaining('ListPromise<CampaignListItem>: The campaigns that the user may see'),
      expect.stringContaining('currency: string: Three-letter currency code'),
      expect.stringContaining('max_payout_amount?: number | undefined: Largest payout.'),
      expect.stringContaining('name: string: Name of the campaign: 1 to 255 characters.'),
    ]);
  });

  test('sees no numbers of our decisions in an editor', () => {
    for (const name of ['@mkt/sdk', '@mkt/mock-server']) {
      const files = readdirSync(inside(name, 'dist')).filter((file) => file.endsWith('.d.ts'));
      const texts = files.map((file) => readFileSync(inside(name, 'dist', file), 'utf8'));
      expect(texts.join('').match(/.*\(D\d+\).*/g)).toBeNull();
    }
  });

  test('may be a bundle for no platform, and run where code must not be made of strings', async () => {
    const [bundle] = (
      await build({
        stdin: {
          contents: `import { Marketplace } from '@mkt/sdk';
            const fetch = async (url, { headers }) => new Response(JSON.stringify([{ id: 1 }]), { headers: { 'total-count': '1' } });
            const mkt = new Marketplace({ token: 'x', baseUrl: 'https://api.example.com', fetch });
            const { items, totalCount } = await mkt.campaigns.list(5);
            const unknown = await mkt.campaigns.list(5, { timeOut: 1 }).catch(({ name, message }) => name + ': ' + message);
            const { meta } = await mkt.campaigns.list(5).withResponse();
            console.log(items.length, totalCount, meta.issues.length, unknown);`,
          resolveDir: folder,
        },
        bundle: true,
        minify: true,
        write: false,
        format: 'esm',
        platform: 'neutral',
      })
    ).outputFiles;
    writeFileSync(at('neutral.mjs'), bundle?.text ?? '');
    // The policy of a page without 'unsafe-eval'.
    const output = await node('--disallow-code-generation-from-strings', 'neutral.mjs');
    expect(output).toMatch(/^1 1 [1-9]\d* ConfigurationError: There is no option timeOut. Did you mean timeout\?$/);
  });

  test("learns from the mock's option strict at which of its lines the SDK was called", async () => {
    const program = readFileSync(at('lines.mjs'), 'utf8').split('\n');
    const expected = program.flatMap((line, index) => (line.endsWith('// call') ? [index + 1] : []));
    expect(JSON.parse(await node('lines.mjs'))).toEqual([expected, expected]);
  });

  test('may load both builds of the SDK: instanceof holds between them', async () => {
    expect(await node('both.mjs')).toBe('Marketplace false true');
  });
});

test('the SDK passes the suite that runs on all runtimes', { tags: ['long'], timeout: SLOW }, async () => {
  const results = await runSuite(folder, 'node', process.execPath);
  expect(results.filter(({ error }) => error)).toEqual([]);
});

describeInChromium('the mock in @msw/playwright', () => {
  test('follows redirects, breaks connections and stops misdirected requests', { timeout: SLOW }, async () => {
    const output = await node('playwright.mjs', require.resolve('playwright-core'), await chromiumUrl());
    expect(output.split('\n')).toEqual([
      '200 45 true',
      '200 null true',
      'Failed to fetch',
      'Failed to fetch',
      '200 45 true',
      '200 45 true',
      '503 null true',
      'Failed to fetch',
    ]);
  });
});

/** What is asked of a package in a lockfile. */
interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

describe('the mock without MSW', () => {
  test('needs at most 15 packages, works in a program, and is named where MSW is missing', {
    timeout: SLOW,
  }, async () => {
    const project = mkdtempSync(join(tmpdir(), 'mkt-mock-'));
    onTestFinished(() => rmSync(project, { recursive: true, force: true, maxRetries: 5 }));
    const { packages } = JSON.parse(readFileSync(at('package-lock.json'), 'utf8')) as {
      packages: Record<string, Manifest>;
    };
    const needed = new Set(['@mkt/sdk', '@mkt/mock-server']);
    for (const name of needed) {
      const { dependencies, peerDependencies, peerDependenciesMeta } = packages[`node_modules/${name}`] as Manifest;
      const peers = Object.keys(peerDependencies ?? {}).filter((peer) => !peerDependenciesMeta?.[peer]?.optional);
      for (const other of [...Object.keys(dependencies ?? {}), ...peers]) needed.add(other);
    }
    expect([...needed]).not.toContain('msw');
    expect(needed.size).toBeLessThanOrEqual(15);
    for (const name of needed) cpSync(inside(name), join(project, 'node_modules', name), { recursive: true });
    for (const [file, start] of [
      ['program.mjs', `import { createMarketplaceMock } from '@mkt/mock-server/fetch';`],
      ['program.cjs', `const { createMarketplaceMock } = require('@mkt/mock-server/fetch');`],
    ] as const) {
      const rest = `const { fetch, tokens } = createMarketplaceMock();
        const headers = { Accept: 'application/json', Authorization: 'Bearer ' + tokens.ada_read };
        fetch('https://api.example.com/organizations/5.json', { headers }).then(({ status }) => console.log(status));`;
      writeFileSync(join(project, file), `${start}\n${rest}`);
      expect((await run(process.execPath, [file], { cwd: project })).stdout).toBe('200\n');
    }
    for (const code of [
      "import('@mkt/mock-server')",
      "require('@mkt/mock-server')",
      "require('@mkt/mock-server/playwright')",
    ])
      await expect(run(process.execPath, ['--eval', code], { cwd: project })).rejects.toMatchObject({
        stderr: expect.stringMatching(/Cannot find (package|module) 'msw'/),
      });
  });
});

describe('the installed command', () => {
  const program = () => inside('@mkt/cli', 'dist/bin.cjs');
  /** `mkt serve` until the test is over, on this Node or the given release. */
  async function started(args: readonly string[] = [], release?: string): Promise<Serving> {
    const options = { program: program(), ...(release && { node: programOf(release) }) };
    const server = await serving(folder, args, options);
    onTestFinished(async () => {
      await server.stop();
    });
    return server;
  }
  const campaignsOf = async ({ url, tokens }: Serving) => {
    const headers = { Accept: 'application/json', Authorization: `Bearer ${tokens.ada_write}` };
    const response = await fetch(`${url}/organizations/5/campaigns.json`, { headers });
    return (await response.json()) as { name: string }[];
  };

  test('prints its version, and lists by npx what mkt serve serves', { timeout: SLOW }, async () => {
    const { version } = JSON.parse(readFileSync(inside('@mkt/cli', 'package.json'), 'utf8'));
    expect(await node(program(), '--version')).toBe(version);
    const { url, tokens } = await started();
    const env = {
      ...cleanEnvironment(folder),
      npm_config_update_notifier: 'false',
      MKT_BASE_URL: url,
      MKT_TOKEN: tokens.ada_write as string,
    };
    const list = ['mkt', 'campaigns', 'list', '--org', '5'];
    expect((await run('npx', list, { cwd: folder, shell, env })).stdout).toMatch(
      /^ID .*\n1 +Summer UGC Campaign +draft/,
    );
  });

  // The packages may be installed with one Node and used with another.
  test('keeps data in a file with SQLite as npm installed it', { timeout: SLOW }, async () => {
    const server = await started(['--db', 'kept.db', '--seed', 'demo'], 'node@22');
    expect((await campaignsOf(server))[0]?.name).toBe('Summer UGC Campaign');
  });

  describe('without better-sqlite3', () => {
    beforeAll(() => rmSync(inside('better-sqlite3'), { recursive: true }));
    // What another test has stored there brings no token along.
    const newFile = ['--db', 'other.db', '--seed', 'demo'];

    test('keeps data in a file with node:sqlite on Node 22, without a warning', { timeout: SLOW }, async () => {
      const server = await started(newFile, 'node@22');
      expect((await campaignsOf(server))[0]?.name).toBe('Summer UGC Campaign');
      expect(server.printed()).not.toContain('Warning');
    });
    test('says what is missing on Node 20, which has no node:sqlite', { timeout: SLOW }, async () => {
      await expect(started(newFile, 'node@20')).rejects.toThrow(
        /ended with 2: .*other\.db cannot be opened because the optional package better-sqlite3 is missing/,
      );
    });
    test('keeps data in memory', { timeout: SLOW }, async () => {
      expect((await campaignsOf(await started()))[0]?.name).toBe('Summer UGC Campaign');
    });
  });
});
