// What was measured on, and whether it had anything else to do.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { arch, cpus, release, totalmem, type } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const folder = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The version of an installed package, of the benchmarks' own or of the workspace. */
function versionOf(name) {
  const file = ['bench/node_modules', 'node_modules']
    .map((place) => `${folder(place)}/${name}/package.json`)
    .find(existsSync);
  return file ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}

/** The first line of `<program> --version`; undefined where there is no such program. */
export function programVersion(program) {
  try {
    return execFileSync(program, ['--version'], { encoding: 'utf8' }).split('\n', 1)[0].replace(/ \(.*/, '');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function system() {
  const described = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  return /^PRETTY_NAME="?([^"\n]*)/m.exec(described)?.[1] ?? type();
}

/**
 * Rows of name and value for the head of the document.
 * @param {number} load The load average when the run was asked for.
 */
export function machine(load) {
  const rivals = [...Object.keys(JSON.parse(readFileSync(folder('bench/package.json'), 'utf8')).dependencies), 'msw'];
  return [
    ['processor', `${cpus().length} x ${cpus()[0].model.trim()}`],
    ['memory', `${Math.round(totalmem() / 2 ** 30)} GiB`],
    ['system', `${system()}, ${type()} ${release()}, ${arch()}`],
    ['Node', process.version],
    ['date', new Date().toISOString().slice(0, 10)],
    ['load average at the start', load.toFixed(2)],
    [
      'versions',
      [
        ...rivals.map((name) => `${name} ${versionOf(name) ?? 'absent'}`),
        ...['gh', 'curl'].map((name) => programVersion(name) ?? `${name} absent`),
      ].join(', '),
    ],
  ];
}

/** How many cores are busy in a second in which we do nothing. */
export async function othersAtWork() {
  const times = () =>
    cpus().reduce(
      (sum, { times: { idle, ...busy } }) => {
        const worked = Object.values(busy).reduce((total, part) => total + part, 0);
        return { idle: sum.idle + idle, all: sum.all + idle + worked };
      },
      { idle: 0, all: 0 },
    );
  const before = times();
  await pause(1000);
  const after = times();
  return cpus().length * (1 - (after.idle - before.idle) / (after.all - before.all));
}
