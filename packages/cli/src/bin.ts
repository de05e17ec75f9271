#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { version } from '../package.json';
import { cacheDirectory } from './config/folders.js';
import { useCompileCache } from './io/compile-cache.js';
import { writeNow } from './io/write-now.js';

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
