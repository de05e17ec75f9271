import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mkt } from './support/mkt.js';
import { type World, worlds } from './support/worlds.js';

const root = join(import.meta.dirname, '..');
const readme = await readFile(join(root, 'README.md'), 'utf8');
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, code = '']) => code);
const run = promisify(execFile);

describe('the README tells the truth', () => {
  let world: World;
  let folder: string;
  beforeAll(async () => {
    world = await (worlds['HTTP, memory store'] as () => Promise<World>)();
    folder = await mkdtemp(join(tmpdir(), 'mkt-readme-'));
  });
  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  test.each(blocks('console'))('a screen is what the command prints', { timeout: 30_000 }, async (screen) => {
    const [line = '', ...lines] = screen.trimEnd().split('\n');
    const args = line.replace(/^\$ mkt /, '').split(' ');
    const env = { MKT_TOKEN: world.tokens.ada_write, MKT_BASE_URL: world.baseUrl };
    const { stdout, stderr, code } = await mkt(args, { env });
    expect([code, (stdout + stderr).trimEnd().split('\n')]).toEqual([0, lines]);
  });

  test.each(blocks('ts'))('a program runs', { timeout: 30_000 }, async (source) => {
    const { outputFiles } = await build({
      stdin: {
        contents: source.replaceAll('http://127.0.0.1:4010', world.baseUrl),
        loader: 'ts',
        resolveDir: join(root, 'e2e'),
      },
      bundle: true,
      write: false,
      platform: 'node',
      format: 'esm',
      // MSW patches Node's own modules and cannot be part of a bundle.
      external: ['msw', 'msw/node'],
      conditions: ['mkt-source'],
    });
    const program = join(root, 'e2e', `.readme-${process.pid}.mjs`);
    await writeFile(program, outputFiles[0]?.text ?? '');
    try {
      const { stderr } = await run(process.execPath, [program], { cwd: folder });
      expect(stderr).toBe('');
    } finally {
      await rm(program);
    }
  });

  test('the commands that it names are scripts, the files that it links are there', async () => {
    const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    for (const [, name = ''] of readme.matchAll(/npm run ([\w:]+)/g)) expect(Object.keys(scripts)).toContain(name);
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, path = '']) => path);
    expect(links.length).toBeGreaterThan(8);
    expect(links.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});
