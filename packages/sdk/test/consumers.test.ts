import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const packageFolder = join(import.meta.dirname, '..');
const modules = join(packageFolder, '../../node_modules');

/** Uses what only the declarations can prove: inference, overloads of options, errors, the other entries. */
const program = `
import { type Campaign, Marketplace, NotFoundError, type Page } from '@mkt/sdk';
import { endpoints } from '@mkt/sdk/contract';
import { FileStore, fileFromPath } from '@mkt/sdk/node';

const mkt = new Marketplace({ token: 'x', baseUrl: 'http://localhost:1', cache: new FileStore({ folder: 'c' }) });
const names = async (): Promise<string[]> => (await mkt.campaigns.list(5).all()).map(({ name }) => name);
const page = (): PromiseLike<Page<{ id: number }>> => mkt.organization(5).collabs.list();
const campaign = (): PromiseLike<Campaign> => mkt.campaigns.publish(5, 'id');
const logo = async () => mkt.organizations.update(5, { logo: await fileFromPath('logo.png') });
// @ts-expect-error there is no such field
const wrong = async () => (await campaign()).nmae;
console.log(typeof names, typeof page, typeof logo, typeof wrong, endpoints.length, NotFoundError.kind);
`;
const commonProgram = program
  .replace(
    /import \{ type Campaign, ([^}]*), type Page \} from '(.*)';/,
    "import sdk = require('$2');\nconst { $1 } = sdk;\ntype Campaign = sdk.Campaign;\ntype Page<T> = sdk.Page<T>;",
  )
  .replaceAll(
    /import \{(.*)\} from '(.*)';/g,
    (_, names, from, at) => `import m${at} = require('${from}');\nconst {${names}} = m${at};`,
  );
const printed = 'function function function function 34 NotFoundError';

describe('the packed package', () => {
  let folder: string;
  const installed = () => join(folder, 'node_modules/@mkt/sdk');

  beforeAll(async () => {
    if (!existsSync(join(packageFolder, 'dist/index.d.ts'))) throw new Error('Build first: npm run build');
    folder = await mkdtemp(join(tmpdir(), 'mkt-consumer-'));
    const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      cwd: packageFolder,
    });
    // npm 12 names the packages in an object, older ones list them.
    const [{ filename }] = Object.values(JSON.parse(stdout)) as [{ filename: string }];
    await mkdir(installed(), { recursive: true });
    await run('tar', ['-xzf', join(folder, filename), '-C', installed(), '--strip-components', '1']);
    // Its dependency as an installation has it: zod beside it, nothing else of this repository.
    await symlink(join(modules, 'zod'), join(folder, 'node_modules', 'zod'));
  }, 60_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Compiles as a consumer does, without Node's types: ours need none. */
  const compile = async (files: Record<string, string>, options: Record<string, string | boolean>): Promise<string> => {
    const project = await mkdtemp(join(folder, 'project-'));
    for (const [file, source] of Object.entries(files)) await writeFile(join(project, file), source);
    await writeFile(join(project, 'package.json'), '{}');
    const lib = ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'];
    const compilerOptions = { target: 'es2022', lib, strict: true, skipLibCheck: false, types: [], ...options };
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(files) }));
    try {
      await run(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', project]);
    } catch (error) {
      throw new Error((error as { stdout: string }).stdout, { cause: error });
    }
    return project;
  };

  it.each(['node16', 'nodenext'])(
    'compiles and runs under %s, as a module and as CommonJS',
    { timeout: 120_000 },
    async (module) => {
      const project = await compile({ 'a.mts': program, 'b.cts': commonProgram }, { module, moduleResolution: module });
      for (const file of ['a.mjs', 'b.cjs'])
        expect((await run(process.execPath, [join(project, file)])).stdout.trim()).toBe(printed);
    },
  );

  it('compiles under bundler resolution, with exact optional properties', { timeout: 120_000 }, async () => {
    const options = { module: 'esnext', moduleResolution: 'bundler', noEmit: true, exactOptionalPropertyTypes: true };
    await compile({ 'a.ts': program }, options);
  });

  it('is loaded by require() without support for modules in require()', async () => {
    const file = join(folder, 'plain.cjs');
    await writeFile(file, "const { Marketplace } = require('@mkt/sdk'); console.log(typeof Marketplace);");
    const { stdout } = await run(process.execPath, ['--no-experimental-require-module', file]);
    expect(stdout.trim()).toBe('function');
  });

  it('shares instanceof between its two builds', async () => {
    const file = join(folder, 'both.mjs');
    await writeFile(
      file,
      `import { createRequire } from 'node:module';
       import * as esm from '@mkt/sdk';
       const cjs = createRequire(import.meta.url)('@mkt/sdk');
       console.log(cjs.NotFoundError === esm.NotFoundError, Object.create(cjs.NotFoundError.prototype) instanceof esm.NotFoundError);`,
    );
    expect((await run(process.execPath, [file])).stdout.trim()).toBe('false true');
  });

  it('has no Node built-in, no other package and no description in its main entry', async () => {
    const main = await readFile(join(installed(), 'dist/index.js'), 'utf8');
    const imports = [...main.matchAll(/from\s*["']([^"']+)["']/g)].map(([, name]) => name);
    expect(imports.filter((name) => !name?.startsWith('./'))).toEqual([]);
    expect(main).not.toContain('Number of the campaign.');
    const declarations = await readFile(join(installed(), 'dist/index.d.ts'), 'utf8');
    expect(declarations).not.toMatch(/from ['"]zod/);
  });

  it('carries what it needs and nothing of the workshop', async () => {
    const manifest = JSON.parse(await readFile(join(installed(), 'package.json'), 'utf8')) as { dependencies: object };
    expect(Object.keys(manifest.dependencies).sort()).toEqual(['zod']);
    for (const file of ['README.md', 'LICENSE']) expect(existsSync(join(installed(), file))).toBe(true);
    for (const file of ['src', 'test', 'tsup.config.ts']) expect(existsSync(join(installed(), file))).toBe(false);
  });
});
