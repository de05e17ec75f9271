import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Conf from 'conf';
import { lock } from 'proper-lockfile';
import { CliError, fileError } from '../errors/cli-error.js';
import { isOurs, makeFolder } from './folders.js';
import { textOf } from './text-of.js';

/** Creates the folder, and makes it private unless it contains other files (MKT_CONFIG_DIR=/tmp). */
function makePrivate(directory: string): void {
  makeFolder(directory);
  const open = (statSync(directory).mode & 0o077) !== 0;
  if (open && isOurs(directory)) chmodSync(directory, 0o700);
}

/**
 * Changes `<directory>/<name>.json`: reads, applies `change`, writes atomically with mode 0600, all under a lock, so
 * that concurrent processes do not overwrite each other (with conf only, 56 of 120 keys of six writers survived).
 */
export async function updateFile(
  directory: string,
  name: 'config' | 'credentials',
  change: (object: Record<string, unknown>) => Record<string, unknown>,
): Promise<void> {
  let release: (() => Promise<void>) | undefined;
  try {
    makePrivate(directory);
    release = await lock(directory, {
      lockfilePath: join(directory, '.lock'),
      stale: 10_000,
      retries: { retries: 60, factor: 1.2, minTimeout: 20, maxTimeout: 250, randomize: true },
    });
    const path = join(directory, `${name}.json`);
    const file = new Conf<Record<string, unknown>>({
      cwd: directory,
      configName: name,
      fileExtension: 'json',
      configFileMode: 0o600,
      projectName: 'mkt',
      accessPropertiesByDotNotation: false,
      // conf would take the byte order mark and the UTF-16 of some editors for damage.
      deserialize: () => JSON.parse(textOf(readFileSync(path), path)),
      serialize: (value) => `${JSON.stringify(value, null, 2)}\n`,
    });
    file.store = change(file.store);
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    const code = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message;
    throw fileError(
      `Cannot write ${join(directory, `${name}.json`)} (${code}).`,
      cause,
      'To use another folder: MKT_CONFIG_DIR=/path/to/your/folder mkt ...',
      'To use no settings file: set MKT_TOKEN, MKT_BASE_URL and MKT_ORG',
    );
  } finally {
    await release?.();
  }
}
