import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { confirm } from '../../changes/confirm.js';
import { completionFiles } from '../../config/completion-file.js';
import { accountOf } from '../../config/credentials.js';
import { cacheDirectory, isOurs } from '../../config/folders.js';
import { Keyring, KeyringUnavailable } from '../../config/keyring.js';
import { managerOf } from '../../config/managers.js';
import type { Context } from '../../context/context.js';
import { toType, usingFiles } from '../../errors/cli-error.js';
import { historyPath } from '../../history/place.js';
import { installation, isExecutable, programPath } from '../../io/installation.js';

interface Kept {
  readonly kind: 'settings' | 'tokens' | 'history' | 'cache' | 'completion' | 'old program';
  readonly path: string;
  /** The file that loads it. */
  readonly startup?: string | undefined;
}

/** The files and folders of mkt that exist. A folder that holds other files, too, is not among them. */
function kept({ io, settings: { directory } }: Context): Kept[] {
  const history = historyPath(io);
  const candidates: Kept[] = [
    { kind: 'settings', path: join(directory, 'config.json') },
    { kind: 'tokens', path: join(directory, 'credentials.json') },
    ...(history === undefined
      ? []
      : ['', '-wal', '-shm'].map((end): Kept => ({ kind: 'history', path: `${history}${end}` }))),
    ...['completion.json', 'compiled'].map((name): Kept => ({ kind: 'cache', path: join(cacheDirectory(io), name) })),
    ...completionFiles(io).map((file): Kept => ({ kind: 'completion', ...file })),
    ...(isExecutable ? [{ kind: 'old program', path: `${programPath()}.old` } as const] : []),
  ];
  return candidates.filter(({ path }) => existsSync(path));
}

function removeFolder(folder: string): void {
  if (!existsSync(folder) || !isOurs(folder)) return;
  rmSync(join(folder, '.lock'), { recursive: true, force: true });
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

export async function uninstall(
  context: Context,
  { purge, 'dry-run': dryRun }: { readonly purge?: boolean; readonly 'dry-run'?: boolean },
): Promise<void> {
  const { io, print, settings } = context;
  const found = kept(context);
  const inKeychain = Object.entries(settings.config.profiles).flatMap(([name, { storage, token_host: host }]) =>
    storage === 'keyring' && host !== undefined ? [accountOf(name, host)] : [],
  );
  const { remove } = managerOf(installation(), programPath(), process.arch);
  const rows = [
    ...found,
    ...(inKeychain.length > 0 ? [{ kind: 'tokens', path: 'the keychain of this computer' }] : []),
  ];
  const columns = [
    { field: 'kind', header: 'WHAT', priority: 0 },
    { field: 'path', header: 'WHERE', priority: 0 },
  ];
  if (rows.length === 0 && !context.asksForData) context.note('mkt keeps nothing on this computer.');
  else await print.rows([rows.map(({ kind, path }) => ({ kind, path }))], { fields: ['kind', 'path'], columns });
  const program = toType(remove, 'To remove the program');
  if (purge !== true || dryRun === true || rows.length === 0) {
    if (rows.length > 0 && purge !== true) context.note('To remove all of this: mkt uninstall --purge');
    context.note(`${program.purpose}: ${program.typed}`);
    return;
  }
  await confirm(context, 'Remove all of this (a history cannot be restored)', '');
  try {
    for (const account of inKeychain) await new Keyring(io.env).delete(account);
  } catch (error) {
    if (!(error instanceof KeyringUnavailable)) throw error;
    context.warn(`The keychain cannot be reached (${error.message}): its entries of the service "mkt" remain.`);
  }
  for (const { path } of found) usingFiles(`Cannot remove ${path}`, () => rmSync(path, { recursive: true }));
  const folders = found.map(({ path }) => dirname(path)).filter((folder) => basename(folder) === 'mkt');
  const inside = [...new Set([...folders, cacheDirectory(io), settings.directory])].sort((a, b) => b.length - a.length);
  for (const folder of inside) removeFolder(folder);
  for (const { path, startup } of found)
    if (startup !== undefined) context.note(`If you added the line that loads ${path}, delete it from ${startup}.`);
  context.note(`Removed. ${program.purpose}: ${program.typed}`);
}
