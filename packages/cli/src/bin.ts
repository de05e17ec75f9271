#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { version } from '../package.json';
import { writeNow } from './io/write-now.js';

const say = (text: string): void =>
  writeNow(text, () => {
    process.exitCode = 1;
    process.stderr.write('error: Cannot write the output.\n');
  });

// What a shell or a script asks for all the time is answered before anything is loaded.
const [first, ...rest] = process.argv.slice(2);
if ((first === '--version' || first === '-V') && rest.length === 0) {
  say(`${version}\n`);
} else if (first === '__complete') {
  // Tab is pressed more often than any command is run.
  void import('./root/completion/answer.js').then(({ answer }) => {
    const spec = JSON.parse(readFileSync(join(__dirname, 'completion.json'), 'utf8'));
    say(answer(spec, rest, process.env));
  });
} else {
  (module as { enableCompileCache?: () => void }).enableCompileCache?.();
  void import('./main.js').then(({ main }) => main());
}
