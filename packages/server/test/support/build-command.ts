import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import type { TestProject } from 'vitest/node';
import { bundledAssets } from '../../../../scripts/lib/bundled-assets.mjs';

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
  project.provide('serverCommand', await buildCommand(folder));
  return () => rmSync(folder, { recursive: true });
}

/** Builds `mkt-server` into `folder`, which must be below `node_modules`. @returns the path of the command */
export async function buildCommand(folder: string, plugins: readonly Plugin[] = []): Promise<string> {
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
      ...plugins,
      bundledAssets,
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
  return join(folder, 'bin.mjs');
}
