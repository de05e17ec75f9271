import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { commanderWithoutChildProcess, kyGlobals } from '../tsup.config.js';
import { temporaryFolder } from './support/run-cli.js';

/** The code of a program whose only library is this file. */
async function buildWith(plugin: Plugin, file: string, text: string): Promise<string> {
  const folder = temporaryFolder();
  const path = join(folder, 'node_modules', file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  const { outputFiles } = await build({
    stdin: { contents: `import './node_modules/${file}';`, resolveDir: folder },
    absWorkingDir: folder,
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
    plugins: [plugin],
  });
  return outputFiles[0]?.text ?? '';
}

describe('the build fails if a library no longer has what the build leaves out', () => {
  it('ky and its web classes', async () => {
    const file = 'ky/distribution/index.js';
    expect(await buildWith(kyGlobals, file, 'new globalThis.Request("/");')).toContain('globals.Request("/")');
    await expect(buildWith(kyGlobals, file, 'new Request("/");')).rejects.toThrow(
      'ky-globals found nothing to replace',
    );
  });
  it('commander and child_process', async () => {
    const file = 'commander/lib/command.js';
    const text = "console.log(require('node:child_process'));";
    expect(await buildWith(commanderWithoutChildProcess, file, text)).not.toContain('child_process")');
    await expect(buildWith(commanderWithoutChildProcess, file, 'console.log(1);')).rejects.toThrow(
      'commander-without-child-process found nothing to replace',
    );
  });
});
