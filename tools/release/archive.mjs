// Archives with the same bytes each time: sorted files that belong to root and have one time.
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzip as gzipAsync } from 'node:zlib';
import tar from 'tar-stream';
import { ZipFile } from 'yazl';

/**
 * @typedef {{ path: string, content: Buffer | string, executable?: boolean }} Entry
 * A path is relative and has slashes.
 */

const sorted = (entries) => entries.toSorted((one, other) => (one.path < other.path ? -1 : 1));
const modeOf = ({ executable }) => (executable ? 0o755 : 0o644);

/** The compression of the fastest level that keeps the files below 48 MB. */
export const gzip = (content) => promisify(gzipAsync)(content, { level: 6 });

/** The folders above the files, each before what it contains. */
function foldersOf(entries) {
  const folders = new Set();
  for (const { path } of entries) {
    const parts = path.split('/').slice(0, -1);
    parts.forEach((_, index) => {
      folders.add(`${parts.slice(0, index + 1).join('/')}/`);
    });
  }
  return [...folders].sort();
}

async function tarOf(entries, mtime, prefix = '') {
  const pack = tar.pack();
  const done = buffer(pack);
  const common = { mtime, uid: 0, gid: 0, uname: 'root', gname: 'root' };
  for (const folder of foldersOf(entries))
    pack.entry({ ...common, name: prefix + folder, type: 'directory', mode: 0o755 });
  for (const entry of sorted(entries))
    pack.entry({ ...common, name: prefix + entry.path, mode: modeOf(entry) }, entry.content);
  pack.finalize();
  return done;
}

/** @param {Entry[]} entries @param {Date} time */
export const tarGz = async (entries, time) => gzip(await tarOf(entries, time));

/** @param {Entry[]} entries @param {Date} time */
export async function zip(entries, time) {
  const file = new ZipFile();
  for (const entry of sorted(entries))
    file.addBuffer(Buffer.from(entry.content), entry.path, { mtime: time, mode: modeOf(entry) });
  file.end();
  return buffer(file.outputStream);
}

/** A member of an `ar` archive. */
function member(name, content, time) {
  const seconds = String(time.getTime() / 1000);
  const header = `${name.padEnd(16)}${seconds.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}${String(content.length).padEnd(10)}\`\n`;
  return [Buffer.from(header), Buffer.from(content), Buffer.from(content.length % 2 === 0 ? '' : '\n')];
}

/**
 * A Debian package.
 * @param {Record<string, string>} fields Of its `control` file; the installed size is added.
 * @param {Entry[]} entries
 * @param {Date} time
 */
export async function deb(fields, entries, time) {
  const sums = sorted(entries).map(
    ({ path, content }) => `${createHash('md5').update(content).digest('hex')}  ${path}\n`,
  );
  const kilobytes = entries.reduce((total, { content }) => total + Math.ceil(content.length / 1024), 0);
  const control = Object.entries({ ...fields, 'Installed-Size': kilobytes }).map(
    ([name, value]) => `${name}: ${value}\n`,
  );
  const info = [
    { path: 'control', content: control.join('') },
    { path: 'md5sums', content: sums.join('') },
  ];
  const [controlTar, dataTar] = await Promise.all(
    [info, entries].map(async (each) => gzip(await tarOf(each, time, './'))),
  );
  return Buffer.concat([
    Buffer.from('!<arch>\n'),
    ...member('debian-binary', Buffer.from('2.0\n'), time),
    ...member('control.tar.gz', controlTar, time),
    ...member('data.tar.gz', dataTar, time),
  ]);
}
