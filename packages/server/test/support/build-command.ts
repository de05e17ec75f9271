import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of `mkt-server`, built from the source as it is now. */
    serverCommand: string;
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Set-up of the whole run: what a process does shows only in a process, so several test files start the command. */
export default async function setUp(project: TestProject): Promise<() => void> {
  // Inside the package, so that what is not bundled is found.
  const folder = mkdtempSync(join(root, 'node_modules', '.command-'));
  await build({
    entryPoints: [join(root, 'src/bin.ts')],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['mkt-source', 'module'],
    loader: { '.sql': 'text' },
    plugins: [
      {
        name: 'libraries-stay-outside',
        setup: ({ onResolve }) =>
          // Except those that the published command takes in: to find and open their files is a third of a start.
          onResolve({ filter: /^[^.]/ }, ({ path, kind }) =>
            kind === 'entry-point' || /^(hono|@hono|zod|@noble|@mkt)(\/|$)/.test(path)
              ? null
              : { path, external: true },
          ),
      },
    ],
  });
  project.provide('serverCommand', join(folder, 'bin.mjs'));
  return () => rmSync(folder, { recursive: true });
}
