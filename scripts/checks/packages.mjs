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

const names = readdirSync('packages');
const problems = [];
const folder = mkdtempSync(join(tmpdir(), 'mkt-pack-'));
try {
  const chosen = names.flatMap((name) => ['-w', `packages/${name}`]);
  const packed = npm(['pack', ...chosen, '--json', '--pack-destination', folder], { stdio: 'pipe' });
  if (packed.status !== 0) throw new Error(`npm pack failed:\n${packed.stderr}`);
  const filenames = new Map(Object.values(JSON.parse(packed.stdout)).map(({ name, filename }) => [name, filename]));

  for (const name of names) {
    const manifest = JSON.parse(readFileSync(join('packages', name, 'package.json'), 'utf8'));
    const file = join(folder, filenames.get(manifest.name));
    const { buffer, byteOffset, byteLength } = readFileSync(file);
    const tarball = buffer.slice(byteOffset, byteOffset + byteLength);
    const { messages } = await publint({ strict: true, pack: { tarball } });
    problems.push(...messages.map((message) => `publint ${manifest.name}: ${formatMessage(message, manifest)}`));

    if (!profiles[name]) continue;
    const args = [attw, file, '--profile', profiles[name], '--format', 'ascii', '--no-color'];
    const types = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (types.status !== 0) problems.push(`attw ${manifest.name}:\n${types.stdout}${types.stderr}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = 1;
}
