#!/usr/bin/env node
import { existsSync, readFileSync, rmSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { version } from '../package.json';
import { cacheDirectory } from './config/folders.js';
import { writeNow } from './io/write-now.js';

/**
 * Makes Node 22 and newer keep compiled code in `cache`, so that the next command starts faster. Only where a list has
 * created that folder: `mkt demo` and `mkt --help` leave no file behind. Removes the code of other versions of mkt and Node.
 */
function useCompileCache(cache: string, version: string): void {
  if (!existsSync(cache)) return;
  const compiled = join(cache, 'compiled');
  const folder = join(compiled, `${version}-node-${process.versions.node}`);
  if (!existsSync(folder)) rmSync(compiled, { recursive: true, force: true });
  (module as { enableCompileCache?: (folder: string) => unknown }).enableCompileCache?.(folder);
}

const print = (text: string): void =>
  writeNow(text, () => {
    process.exitCode = 1;
    process.stderr.write('error: Cannot write the output.\n');
  });

// Handled before anything else is loaded, because shells and scripts call these often.
const [first, ...rest] = process.argv.slice(2);
if ((first === '--version' || first === '-V') && rest.length === 0) {
  print(`${version}\n`);
} else if (first === '__complete') {
  // Users press Tab more often than they run commands.
  void import('./root/completion/answer.js').then(({ answer }) => {
    const spec = JSON.parse(readFileSync(join(__dirname, 'completion.json'), 'utf8'));
    print(answer(spec, rest, process.env));
  });
} else if (first === '__keychain') {
  void import('./config/keychain-child.js');
} else {
  useCompileCache(cacheDirectory({ env: process.env, home: homedir(), platform: process.platform }), version);
  void import('./main.js').then(({ main }) => main());
}
