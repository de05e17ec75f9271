#!/usr/bin/env node
import module from 'node:module';
import { version } from '../package.json';

// What a shell or a script asks for all the time is answered before anything is loaded.
const [first, ...rest] = process.argv.slice(2);
if ((first === '--version' || first === '-V') && rest.length === 0) {
  process.stdout.write(`${version}\n`);
} else if (first === '__complete') {
  // Tab is pressed more often than any command is run.
  void import('./completion/answer.js').then(({ answer }) => process.stdout.write(answer(rest, process.env)));
} else {
  (module as { enableCompileCache?: () => void }).enableCompileCache?.();
  void import('./main.js').then(({ main }) => main());
}
