// Before tests of the builds: ends the run unless they are of the present sources.
import { builtFile } from './builds.mjs';

export default function setUp() {
  try {
    for (const name of ['sdk', 'server', 'mock-server']) builtFile(name, 'index.js');
    builtFile('cli', 'bin.cjs');
  } catch (error) {
    // vitest prints a stack as well, and fails if the modules in it are from its cache.
    error.stack = '';
    throw error;
  }
}
