import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { demoSeed, memoryStore } from '@mkt/server';
import { type ServeOptions, serve } from '@mkt/server/node';
import { onTestFinished } from 'vitest';
import { runCli, type Screen, type Terminal, temporaryFolder } from './run-cli.js';
import { PUBLIC_URL, tokens } from './service.js';

/** A campaign or a collab as the server stores it. */
export interface StoredResource {
  readonly id: number;
  readonly organization_id: number;
  readonly name: string;
  readonly [field: string]: unknown;
}

/** A service with the demo data, and a folder with files. Ada works in organization 7, which has no campaigns and collabs. */
export interface ImportService {
  readonly url: string;
  readonly folder: string;
  /** Writes a file into the folder, and returns its path. */
  file(name: string, text: string): string;
  read(name: string): string;
  /** Runs `mkt import`, with `--yes` if no answers are given; paths are relative to the folder. */
  run(argv: readonly string[], terminal?: Terminal): Promise<Screen>;
  /** All campaigns or collabs of organization 7, in the order of creation. */
  stored(plural?: 'campaigns' | 'collabs'): Promise<readonly StoredResource[]>;
  env: Record<string, string>;
}

/** Stops after the test. @param after the hook of a concurrent test */
export async function startImportService(
  after = onTestFinished,
  options: Partial<ServeOptions> = {},
): Promise<ImportService> {
  const store = memoryStore();
  const service = await serve({
    store,
    seed: demoSeed(),
    port: 0,
    baseUrl: PUBLIC_URL,
    clock: () => Date.parse('2026-06-01T12:00:00Z'),
    ...options,
  });
  after(() => service.close());
  const folder = temporaryFolder(after);
  const env = { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url, MKT_ORG: '7' };
  return {
    url: service.url,
    folder,
    env,
    file: (name, text) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    },
    read: (name) => readFileSync(join(folder, name), 'utf8'),
    run: async (argv, terminal = {}) => {
      const yes = terminal.answers === undefined ? ['--yes'] : [];
      const screen = await runCli(['import', ...argv, ...yes], {
        cwd: folder,
        ...terminal,
        env: { ...env, ...terminal.env },
      });
      // What a person sees has no path of this machine in it.
      const calm = (text: string) => text.replaceAll(`${folder}/`, '');
      return { ...screen, stdout: calm(screen.stdout), stderr: calm(screen.stderr) };
    },
    stored: async (plural = 'campaigns') => {
      const { tables } = await store.dump();
      return (tables[plural] as unknown as StoredResource[]).filter(({ organization_id }) => organization_id === 7);
    },
  };
}

/** The lines of a report, as objects. */
export const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
