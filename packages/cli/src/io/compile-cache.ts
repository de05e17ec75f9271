import { existsSync, rmSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';

/**
 * Makes Node 22 and newer keep compiled code in `cache`, so that the next command starts faster. Only where a list has
 * created that folder: `mkt demo` and `mkt --help` leave no file behind. Removes the code of other versions of mkt and Node.
 */
export function useCompileCache(cache: string, version: string): void {
  if (!existsSync(cache)) return;
  const compiled = join(cache, 'compiled');
  const folder = join(compiled, `${version}-node-${process.versions.node}`);
  if (!existsSync(folder)) rmSync(compiled, { recursive: true, force: true });
  (module as { enableCompileCache?: (folder: string) => unknown }).enableCompileCache?.(folder);
}
