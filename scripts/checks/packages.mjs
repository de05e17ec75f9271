// Packs every package as npm would publish it and asks publint and "are the types wrong" about the tarball.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { npm } from '../lib/npm.mjs';

const attw = 'node_modules/@arethetypeswrong/cli/dist/index.js';

/** Who must be able to import the types: Node 16's resolution and newer, from ESM and CommonJS, or from ESM alone. */
const profiles = { sdk: 'node16', 'mock-server': 'node16', server: 'esm-only' };

const problems = [];
const folder = mkdtempSync(join(tmpdir(), 'mkt-pack-'));
try {
  for (const name of readdirSync('packages')) {
    const pkgDir = join('packages', name);
    const manifest = JSON.parse(readFileSync(join(pkgDir, 'package.json'), 'utf8'));
    const { messages } = await publint({ pkgDir, strict: true, pack: 'npm' });
    problems.push(...messages.map((message) => `publint ${manifest.name}: ${formatMessage(message, manifest)}`));

    if (!profiles[name]) continue;
    const packed = npm(['pack', '--pack-destination', folder, '-w', manifest.name], { stdio: 'pipe' });
    if (packed.status !== 0) throw new Error(`npm pack of ${manifest.name} failed:\n${packed.stderr}`);
    const tarball = join(folder, packed.stdout.trim().split('\n').at(-1));
    const types = spawnSync(
      process.execPath,
      [attw, tarball, '--profile', profiles[name], '--format', 'ascii', '--no-color'],
      {
        encoding: 'utf8',
      },
    );
    if (types.status !== 0) problems.push(`attw ${manifest.name}:\n${types.stdout}${types.stderr}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = 1;
}
