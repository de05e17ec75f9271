import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type World, worlds } from './support/worlds.js';

const root = join(import.meta.dirname, '..');
const readme = await readFile(join(root, 'packages/sdk/README.md'), 'utf8');

/** What every example but the first takes as given, as the README says. */
const given = [
  "import { Marketplace } from '@mkt/sdk';",
  "const mkt = new Marketplace({ token: process.env.MKT_TOKEN ?? '', baseUrl: process.env.MKT_BASE_URL ?? '' });",
];
const acme = 'const acme = mkt.organization(5);';

interface Example {
  title: string;
  source: string;
  /** What its comments say that it prints; none where a line prints without saying. */
  printed: string[] | undefined;
}

function examples(): Example[] {
  const found: Example[] = [];
  let title = '';
  for (const [, heading, code = ''] of readme.matchAll(/^#+ (.+)$|^```ts\n([\s\S]*?)^```$/gm)) {
    if (heading) title = heading;
    else {
      const preamble = code.includes('new Marketplace(') ? [] : [...given, ...(code.includes(acme) ? [] : [acme])];
      const printing = code.split('\n').filter((line) => line.includes('console.log('));
      const told = printing.map((line) => / \/\/ (.+)$/.exec(line)?.[1]);
      const printed = told.every((text) => text !== undefined) ? (told as string[]) : undefined;
      found.push({ title: `${title} ${found.length + 1}`, source: [...preamble, code].join('\n'), printed });
    }
  }
  return found;
}

const all = examples();
const run = promisify(execFile);

describe("the README's examples", () => {
  let folder: string;
  let world: World;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mkt-readme-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('there is one for every topic', () => {
    expect(all.length).toBeGreaterThan(12);
  });

  test('compile', { timeout: 60_000 }, () => {
    const files = new Map(
      all.map(({ source }, index) => [join(root, 'e2e', `example-${index}.ts`), `${source}\nexport {};`]),
    );
    const { config } = ts.readConfigFile(join(root, 'e2e/tsconfig.json'), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, join(root, 'e2e'));
    const host = ts.createCompilerHost(options);
    const { getSourceFile, fileExists } = host;
    host.getSourceFile = (path, language, ...rest) => {
      const source = files.get(path);
      return source === undefined
        ? getSourceFile(path, language, ...rest)
        : ts.createSourceFile(path, source, language);
    };
    host.fileExists = (path) => files.has(path) || fileExists(path);
    const program = ts.createProgram(
      [...files.keys()],
      { ...options, noEmit: true, noUnusedLocals: false, incremental: false },
      host,
    );
    const problems = [...files.keys()].flatMap((path) =>
      ts.getPreEmitDiagnostics(program, program.getSourceFile(path)),
    );
    expect(
      problems.map(
        ({ messageText, file }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      ),
    ).toEqual([]);
  });

  test.each(all)('$title runs and prints what it says', async ({ source, printed }) => {
    world = await (worlds['HTTP, memory store'] as () => Promise<World>)();
    try {
      const { outputFiles } = await build({
        stdin: { contents: source, loader: 'ts', resolveDir: join(root, 'e2e') },
        bundle: true,
        write: false,
        platform: 'node',
        format: 'esm',
        conditions: ['mkt-source'],
      });
      const program = join(folder, 'example.mjs');
      await writeFile(program, outputFiles[0]?.text ?? '');
      const { stdout, stderr } = await run(process.execPath, [program], {
        cwd: folder,
        env: { ...process.env, MKT_TOKEN: world.tokens.ada_write, MKT_BASE_URL: world.baseUrl },
      });
      expect(stderr).toBe('');
      if (printed) expect(stdout.trim().split('\n').filter(Boolean)).toEqual(printed);
      else expect(stdout).not.toBe('');
    } finally {
      await world.close();
    }
  });
});
