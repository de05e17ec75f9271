#!/usr/bin/env node

// Dynamic, because loading modules fails in a process with too few file descriptors.
try {
  await import('./command-line.js');
} catch (error) {
  const { code } = error as { readonly code?: unknown };
  if (code !== 'EMFILE' && code !== 'ENFILE') throw error;
  process.stderr.write('error: There are not enough file descriptors to start. Raise the limit: ulimit -n 1024\n');
  process.exitCode = 2;
}

export {};
