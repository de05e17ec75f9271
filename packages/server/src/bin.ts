#!/usr/bin/env node
import { lacksDescriptors, tooFewDescriptors } from './node/descriptors.js';

// Dynamic, because loading modules fails in a process with too few file descriptors.
try {
  await import('./command-line.js');
} catch (error) {
  if (!lacksDescriptors(error)) throw error;
  process.stderr.write(`error: ${tooFewDescriptors}\n`);
  process.exitCode = 2;
}
