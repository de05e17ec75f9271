import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Command, isGroup } from '../src/context/command.js';
import { commands } from '../src/root/commands.js';
import { runCli, temporaryFolder } from './support/run-cli.js';
import { startService, tokens } from './support/service.js';
import { wordsOf } from './support/words.js';

/** Runs until it is stopped: see built-bundle.test.ts. */
const ENDLESS = ['serve'];

const leaves: (readonly [string, Command])[] = commands.flatMap((command) =>
  isGroup(command)
    ? command.commands().map((leaf) => [`${command.name} ${leaf.name}`, leaf] as const)
    : [[command.name, command] as const],
);

/** A person who signed in to the demo service under two profiles, with a token in a file. */
function signedIn(url: string): string {
  const folder = temporaryFolder();
  const profile = { base_url: url, storage: 'file', token_host: url, token_last4: 'rite' };
  mkdirSync(join(folder, 'config'), { mode: 0o700 });
  writeFileSync(
    join(folder, 'config', 'config.json'),
    JSON.stringify({ active: 'default', profiles: { default: profile, work: profile } }),
  );
  const secrets = { [`default@${url}`]: tokens.ada_write, [`work@${url}`]: tokens.ada_write };
  writeFileSync(join(folder, 'config', 'credentials.json'), JSON.stringify(secrets), { mode: 0o600 });
  writeFileSync(join(folder, 'token.txt'), `${tokens.ada_write}\n`);
  return folder;
}

describe.each(leaves.filter(([path]) => !ENDLESS.includes(path)))('mkt %s', (_path, leaf) => {
  it('has at least two examples', () => {
    expect(leaf.examples.length).toBeGreaterThanOrEqual(2);
  });
  it.each(leaf.examples.map((example) => [example.line, example] as const))(
    'works as typed: %s',
    async (line, { exit = 0 }) => {
      await using service = await startService();
      const cwd = signedIn(service.url);
      if (leaf.sample) writeFileSync(join(cwd, leaf.sample.name), `${leaf.sample.lines.join('\n')}\n`);
      const previous = process.cwd();
      process.chdir(cwd);
      try {
        const [command = '', input] = line.split(' < ');
        const [program, ...argv] = wordsOf(command);
        const stdin = input === undefined ? '' : tokens.ada_write;
        const screen = await runCli(argv, { cwd, stdin, env: { MKT_BASE_URL: service.url } });
        expect(program).toBe('mkt');
        expect(screen, screen.stderr).toMatchObject({ code: exit });
        if (exit === 0) expect(screen.stderr).not.toContain('error:');
      } finally {
        process.chdir(previous);
      }
    },
  );
});
