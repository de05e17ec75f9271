import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { fetch, ProxyAgent } from 'undici';
import { routeTo } from '../../api/http/proxy.js';
import { isLoopback } from '../../config/settings.js';
import { CliError, failure, fileError, usageError } from '../../errors/cli-error.js';
import type { Io } from '../../io/io.js';

const run = promisify(execFile);
const UNCHANGED = 'Nothing was changed.';

/** A release has archives of about 45 MB. */
const MOST_BYTES = 200_000_000;

interface Executable {
  readonly program: string;
  readonly version: string;
  /** The folder with the files of a release. */
  readonly from: string;
  readonly dryRun: boolean;
  readonly io: Pick<Io, 'env' | 'platform' | 'interrupted'>;
}

export interface Upgrade {
  readonly result: 'newest' | 'available' | 'upgraded';
  readonly newest: string;
}

const failed = (message: string, cause: unknown): CliError =>
  new CliError({ code: 'failed', message, hints: [UNCHANGED], cause });

async function download(url: string, { io: { env, interrupted } }: Executable): Promise<Buffer> {
  const local = isLoopback(url);
  const route = routeTo(url, env);
  try {
    const response = await fetch(url, {
      signal: AbortSignal.any([interrupted, AbortSignal.timeout(600_000)]),
      ...(route.by === 'proxy' && { dispatcher: new ProxyAgent(route.proxy.address) }),
    });
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    if (!local && !response.url.startsWith('https:')) throw new Error('it leads to an address without https');
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of response.body ?? []) {
      size += part.length;
      if (size > MOST_BYTES) throw new Error('it is larger than any release');
      parts.push(part);
    }
    return Buffer.concat(parts);
  } catch (cause) {
    if (interrupted.aborted) throw failure('interrupted', `Interrupted. ${UNCHANGED}`);
    const { message, cause: reason } = cause as Error & { cause?: Error };
    throw new CliError({
      code: 'network',
      message: `Cannot download ${url}: ${reason?.message || message}.`,
      hints: [`${UNCHANGED} Check the connection and the proxy, and try again.`],
      cause,
    });
  }
}

/** The archives of a list of hashes: the version and the SHA-256 of the one for this system. */
function archiveIn(sums: string, { from, io: { platform } }: Executable) {
  const system = `${platform === 'win32' ? 'win' : platform}-${process.arch}`;
  const line = new RegExp(`^([0-9a-f]{64}) {2}(mkt-(\\d[0-9A-Za-z.+-]*)-${system}\\.(?:tar\\.gz|zip))$`, 'm');
  const [, hash, name, version] = line.exec(sums) ?? [];
  if (hash === undefined || name === undefined || version === undefined)
    throw failure('failed', `The release in ${from} has no file for ${system}.`, UNCHANGED);
  return { hash, name, version };
}

/** Unpacks the program with the `tar` of the system, which on Windows reads zip files, too. */
async function unpack(archive: string, folder: string, { io: { env, platform } }: Executable): Promise<void> {
  const tar = platform === 'win32' ? join(env.SystemRoot ?? 'C:\\Windows', 'System32', 'tar.exe') : 'tar';
  await run(tar, ['-xf', archive, '-C', folder]);
}

async function checkStart(program: string, version: string): Promise<void> {
  try {
    const { stdout } = await run(program, ['--version']);
    if (stdout.trim() !== version) throw new Error(`it says that it is ${stdout.trim().slice(0, 40)}`);
  } catch (cause) {
    throw failed(`mkt ${version} does not start on this computer: ${(cause as Error).message.trim()}`, cause);
  }
}

/** Puts the new program where the old one is, after it has started there once. */
async function replace(fresh: string, version: string, { program, io: { platform } }: Executable): Promise<void> {
  const next = join(dirname(program), `.mkt-${process.pid}${platform === 'win32' ? '.exe' : ''}`);
  const old = `${program}.old`;
  try {
    copyFileSync(fresh, next);
    chmodSync(next, 0o755);
    await checkStart(next, version);
    if (platform === 'win32') {
      // The file of a program that runs can be renamed there, and deleted only later.
      rmSync(old, { force: true });
      renameSync(program, old);
    }
    renameSync(next, program);
  } catch (cause) {
    rmSync(next, { force: true });
    if (!existsSync(program) && existsSync(old)) renameSync(old, program);
    if (cause instanceof CliError) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
      throw fileError(
        `You may not replace ${program} (${code}).`,
        cause,
        UNCHANGED,
        'Run the command as its owner: sudo mkt upgrade',
      );
    throw failed(`Cannot replace ${program} by mkt ${version}: ${message.trim()}`, cause);
  }
}

/**
 * Replaces the executable of mkt by that of the newest release.
 * @throws {CliError} if a step fails; the old one is unchanged then
 */
export async function replaceExecutable(executable: Executable): Promise<Upgrade> {
  const { from, dryRun, version } = executable;
  if (!URL.canParse(from) || !(from.startsWith('https://') || (from.startsWith('http://') && isLoopback(from))))
    throw usageError(`--from must begin with https:// (http:// only on this machine), not ${from}.`);
  const base = from.replace(/\/$/, '');
  const archive = archiveIn(String(await download(`${base}/SHA256SUMS`, executable)), executable);
  const newest = archive.version;
  if (newest.localeCompare(version, 'en', { numeric: true }) <= 0) return { result: 'newest', newest };
  if (dryRun) return { result: 'available', newest };
  const content = await download(`${base}/${archive.name}`, executable);
  const hash = createHash('sha256').update(content).digest('hex');
  if (hash !== archive.hash)
    throw failure(
      'failed',
      `The SHA-256 of ${archive.name} does not match: expected ${archive.hash}, found ${hash}.`,
      `${UNCHANGED} The file is damaged or was replaced.`,
    );
  const folder = mkdtempSync(join(tmpdir(), 'mkt-upgrade-'));
  try {
    const file = join(folder, archive.name);
    writeFileSync(file, content);
    const name = archive.name.replace(/\.(tar\.gz|zip)$/, '');
    const program = executable.io.platform === 'win32' ? 'mkt.exe' : 'mkt';
    await unpack(file, folder, executable).catch((cause) => {
      throw failed(`Cannot unpack ${archive.name}: ${(cause as Error).message.trim()}`, cause);
    });
    await replace(join(folder, name, program), newest, executable);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { result: 'upgraded', newest };
}
