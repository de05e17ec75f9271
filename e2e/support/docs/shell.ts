import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { builtFile } from '../../../scripts/lib/builds.mjs';
import { mktFile } from '../mkt.js';
import { root } from './blocks.js';

const run = promisify(execFile);

/** What the shell of a page does with a block. */
export interface Session {
  readonly folder: string;
  /** For programs that start others. A server that they start stays until they end it. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Runs lines after those of earlier blocks: in the folder and with the variables that these left.
   * @param options `goOn`: continues after a line that failed, as a person at a terminal does.
   */
  run(lines: string, options?: { readonly goOn: boolean }): Promise<{ readonly code: number; readonly output: string }>;
}

const node = JSON.stringify(process.execPath);

/** A server runs until it is stopped: here until it says where it is. With `&` it runs until the block is over. */
const serveBriefly = `import { spawn } from 'node:child_process';
const [program, ...args] = process.argv.slice(2);
const at = args.indexOf('--port');
if (at >= 0) args.splice(at, 2);
const child = spawn(process.execPath, [program, ...args, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
const stays = process.env.DOCS_BACKGROUND === '1';
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.stdout.once('data', () => {
  if (!stays) child.kill('SIGTERM');
});
// The program that started the server may exit before its last lines.
process.stdout.on('error', () => {});
child.stdout.pipe(process.stdout);
child.on('close', (code) => (process.exitCode = code ?? 1));
`;

/** Packages must be there for a reader too: ours, or one that this repository has. Scripts must be scripts. */
const npm = `import { readFileSync } from 'node:fs';
const read = (name) => JSON.parse(readFileSync(${JSON.stringify(`${root}/`)} + name, 'utf8'));
const [verb, ...rest] = process.argv.slice(2);
const names = rest.filter((word) => !word.startsWith('-')).map((word) => word.replace(/(?<=.)@[^/]*$/, ''));
const { packages } = read('package-lock.json');
const unknown =
  verb === 'install' || verb === 'i' ? names.filter((name) => !packages['node_modules/' + name])
  : verb === 'run' ? names.slice(0, 1).filter((name) => !read('package.json').scripts[name])
  : verb === 'test' || verb === 'ci' ? [] : [verb];
if (unknown.length > 0) {
  console.error('npm ' + verb + ': unknown ' + unknown.join(' '));
  process.exitCode = 1;
}
`;

const programs = (bin: string, path: string): Readonly<Record<string, string>> => ({
  mkt: `case " $* " in
  *" --help "*|*" users "*|*" tokens "*|*" export "*|*" backup "*|*" restore "*) exec ${node} ${mktFile} "$@" ;;
  " serve "*|" twin serve "*) exec ${node} ${bin}/serve-briefly.mjs ${mktFile} "$@" ;;
  *) exec ${node} ${mktFile} "$@" ;;
esac`,
  npx: `name=$1; shift
case $name in
  mkt | @mkt/cli) exec mkt "$@" ;;
  @mkt/server) exec ${node} ${bin}/serve-briefly.mjs ${builtFile('server', 'bin.js')} "$@" ;;
  *) exec ${root}/node_modules/.bin/$name "$@" ;;
esac`,
  npm: `exec ${node} ${bin}/npm.mjs "$@"`,
  // A refusal fails the block, and nothing but the answer is printed.
  curl: `PATH=${JSON.stringify(path)} exec curl -sS --fail-with-body "$@"`,
});

/** A shell in `folder`, whose `mkt`, `npx`, `npm` and `curl` are what a reader of the pages has. */
export async function shellIn(folder: string, environment: Readonly<Record<string, string>>): Promise<Session> {
  const bin = join(folder, '.bin');
  const state = join(folder, '.state');
  const work = join(folder, 'work');
  await mkdir(bin, { recursive: true });
  await mkdir(work, { recursive: true });
  const path = environment.PATH ?? '';
  for (const [name, lines] of Object.entries(programs(bin, path))) {
    await writeFile(join(bin, name), `#!/usr/bin/env bash\n${lines}\n`);
    await chmod(join(bin, name), 0o755);
  }
  // A reader's project has one.
  await writeFile(join(work, 'package.json'), '{ "type": "module" }\n');
  await writeFile(join(bin, 'serve-briefly.mjs'), serveBriefly);
  await writeFile(join(bin, 'npm.mjs'), npm);
  await writeFile(state, `cd ${JSON.stringify(work)}\n`);

  return {
    folder: work,
    environment: { ...environment, PATH: `${bin}:${path}`, DOCS_BACKGROUND: '1' },
    async run(lines, { goOn } = { goOn: false }) {
      const background = /&$/m.test(lines.replaceAll('&&', ''));
      const script = `. ${state}
trap 'status=$?; { declare -px | grep -v "DOCS_BACKGROUND"; printf "cd %q\\n" "$PWD"; } > ${state}
jobs -p | xargs -r kill 2>/dev/null; wait; exit $status' EXIT
${goOn ? '' : 'set -eo pipefail'}
${lines}`;
      const env = {
        ...environment,
        PATH: `${bin}:${path}`,
        ...(background && { DOCS_BACKGROUND: '1' }),
      };
      try {
        const { stdout } = await run('bash', ['-c', `exec 2>&1 < /dev/null\n${script}`], {
          env,
          cwd: work,
          maxBuffer: 16 << 20,
        });
        return { code: 0, output: stdout };
      } catch (error) {
        const { code, stdout = '' } = error as { code?: number; stdout?: string };
        return { code: code ?? 1, output: stdout };
      }
    },
  };
}
