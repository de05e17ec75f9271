#!/usr/bin/env node
import { hasDescriptors, tooFewDescriptors } from './node/descriptors.js';

// Before other modules are loaded: with too few file descriptors that fails, with errors that differ between versions of Node.
if (hasDescriptors()) await import('./command-line.js');
else {
  process.stderr.write(`error: ${tooFewDescriptors}\n`);
  process.exitCode = 2;
}
