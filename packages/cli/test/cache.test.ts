import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { version } from '../package.json';
import { runCli, temporaryFolder } from './support/run-cli.js';
import { sharedService } from './support/service.js';
import { mkt } from './support/spawn-cli.js';

const service = sharedService();

/** A home, and a folder for temporary files in it. */
function emptyHome() {
  const home = temporaryFolder();
  mkdirSync(join(home, 'tmp'));
  const left = () => readdirSync(home, { recursive: true }).map(String);
  return { cache: join(home, '.cache/mkt'), env: { HOME: home, TMPDIR: join(home, 'tmp') }, left };
}

it('only a list creates the cache, and nothing is written to the temporary folder', async () => {
  const { cache, env, left } = emptyHome();
  for (const argv of [['--help'], ['config', 'list'], ['config', 'path']]) {
    expect(await mkt(argv, env)).toMatchObject({ code: 0 });
    expect(left()).toEqual(['tmp']);
  }
  const signedIn = { ...env, ...service.env() };
  for (const argv of [['campaigns', 'list', '--org', '5'], ['--help'], ['campaigns', 'list', '--org', '5']])
    expect(await mkt(argv, signedIn)).toMatchObject({ code: 0 });
  expect(existsSync(join(cache, 'completion.json'))).toBe(true);
  expect(readdirSync(env.TMPDIR)).toEqual([]);
});

it('holds the compiled code of at most one version of mkt and Node', async () => {
  const { cache, env } = emptyHome();
  mkdirSync(join(cache, 'compiled/0.0.1-node-18.0.0'), { recursive: true });
  for (let run = 0; run < 2; run += 1) {
    expect(await mkt(['--help'], env)).toMatchObject({ code: 0, stderr: '' });
    const compiled = existsSync(join(cache, 'compiled')) ? readdirSync(join(cache, 'compiled')) : [];
    expect([[], [`${version}-node-${process.versions.node}`]]).toContainEqual(compiled);
  }
});

it('is named by mkt config path', async () => {
  const cwd = temporaryFolder();
  expect(await runCli(['config', 'path'], { cwd })).toEqual({
    code: 0,
    stdout: `${join(cwd, 'config/config.json')}\n`,
    stderr: `The cache is in ${join(cwd, 'config/cache')}.\n`,
  });
});
