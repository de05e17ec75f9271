// The machine that the figures were measured on.
import { existsSync, readFileSync } from 'node:fs';
import { arch, cpus, release, totalmem, type } from 'node:os';

const root = new URL('../../', import.meta.url);

/** The version of an installed package, of the benchmarks' own or of the workspace. */
function versionOf(name) {
  const files = ['bench/node_modules', 'node_modules'].map((place) => new URL(`${place}/${name}/package.json`, root));
  const file = files.find(existsSync);
  return file ? JSON.parse(readFileSync(file, 'utf8')).version : 'absent';
}

function system() {
  const described = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  return /^PRETTY_NAME="?([^"\n]*)/m.exec(described)?.[1] ?? type();
}

/**
 * Rows of name and value for the head of the document.
 * @param {number} load The load average when the run was started.
 */
export function machine(load) {
  const { dependencies } = JSON.parse(readFileSync(new URL('bench/package.json', root), 'utf8'));
  const versions = [...Object.keys(dependencies), 'msw'].map((name) => `${name} ${versionOf(name)}`);
  return [
    ['processor', `${cpus().length} x ${cpus()[0].model.trim()}`],
    ['memory', `${Math.round(totalmem() / 2 ** 30)} GiB`],
    ['system', `${system()}, ${type()} ${release()}, ${arch()}`],
    ['Node', process.version],
    ['date', new Date().toISOString().slice(0, 10)],
    ['load average at the start', load.toFixed(2)],
    ['versions', versions.join(', ')],
  ];
}
