import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { demoSeed, memoryStore } from '@mkt/server';
import { describe, expect, it } from 'vitest';
import { type Command, isGroup } from '../src/context/command.js';
import { commands } from '../src/root/commands.js';
import { runCli, type Screen, type Terminal, temporaryFolder } from './support/run-cli.js';
import { startService, tokens } from './support/service.js';
import { wordsOf } from './support/words.js';

/** They run until they are stopped: see built-bundle.test.ts and twin.test.ts. */
const ENDLESS = ['serve', 'twin serve'];

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

const tables: Readonly<
  Record<string, 'organizations' | 'campaigns' | 'collabs' | 'social_accounts' | 'access_tokens'>
> = {
  organizations: 'organizations',
  org: 'organizations',
  campaigns: 'campaigns',
  collabs: 'collabs',
  'social-accounts': 'social_accounts',
  social: 'social_accounts',
  tokens: 'access_tokens',
};

const opaqueSeed = demoSeed('opaque');

/** The id of a row of the demo data with opaque ids. */
function opaqueId(table = '', number = ''): string {
  const rows = opaqueSeed.tables[tables[table] ?? 'organizations'] as readonly {
    id: string;
    position?: number;
  }[];
  return rows.find(({ position }) => position === Number(number))?.id ?? number;
}

/** The line for a service with opaque ids: integers that are arguments, organizations or parts of a path are other ids there. */
function withOpaqueIds(line: string): string {
  return line
    .replace(/mem_(\d+)_/g, (_, number) => `mem_${opaqueId('organizations', number)}_`)
    .replace(/\/(organizations|campaigns)\/(\d+)/g, (_, table, number) => `/${table}/${opaqueId(table, number)}`)
    .replace(/(--(?:to-)?org) (\d+)/g, (_, flag, number) => `${flag} ${opaqueId('organizations', number)}`)
    .replace(/^(mkt (?:open |config set )?(\S+)(?: [a-z]+)?)((?: \d+)+)/, (_, start, table, numbers: string) => {
      return start + numbers.replace(/\d+/g, (number) => opaqueId(table, number));
    });
}

const servicesOf = (line: string, { sample }: Command) =>
  withOpaqueIds(line) === line && !sample ? (['integer'] as const) : (['integer', 'opaque'] as const);

describe.each(leaves.filter(([path]) => !ENDLESS.includes(path)))('mkt %s', (path, leaf) => {
  // Until something is published, an executable has no address to update itself from.
  const where: Pick<Terminal, 'inProcess'> = path === 'upgrade' ? { inProcess: 'path' } : {};
  it('has at least two examples', () => {
    expect(leaf.examples.length).toBeGreaterThanOrEqual(2);
  });
  it('obeys the flags of the output, or rejects them', async () => {
    const [line] = leaf.examples.flatMap(({ line: typed, exit }) =>
      exit === undefined && typed.startsWith(`mkt ${path}`)
        ? typed.replace(/ --(?:format|fields|jq|delimiter|page|check)( '[^']*'| \S+|$)| --json/g, '')
        : [],
    );
    // Needs an editor, or is the last admin.
    if (line === undefined) return;
    const plain = / (export|pull) /.test(line) && !line.includes('twin') ? line.replace(/ --out \S+/, '') : line;
    const run = async (...flags: readonly string[]) => {
      await using service = await startService();
      const cwd = signedIn(service.url);
      if (leaf.sample) writeFileSync(join(cwd, leaf.sample.name), `${leaf.sample.lines.join('\n')}\n`);
      const previous = process.cwd();
      process.chdir(cwd);
      try {
        const [command = '', input] = plain.split(' < ');
        const stdin = input === undefined ? '' : tokens.ada_write;
        const argv = [...wordsOf(command).slice(1), ...flags];
        return await runCli(argv, { ...where, cwd, stdin, env: { MKT_BASE_URL: service.url } });
      } finally {
        process.chdir(previous);
      }
    };
    const unknown = await run('--fields', 'no_such_field');
    expect(unknown.code, line).toBe(2);
    const isJson = ({ code, stdout }: Screen) => code === 0 && typeof JSON.parse(stdout) === 'object';
    for (const flags of [['--json'], ['--format', 'json'], ['--jq', '.']]) {
      const screen = await run(...flags);
      if (screen.code === 2) expect(screen.stderr, line).toMatch(/prints only .* cannot be used/s);
      else expect(isJson(screen), `${line} ${flags.join(' ')}: ${screen.stdout} ${screen.stderr}`).toBe(true);
    }
    const csv = await run('--format', 'csv');
    if (csv.code === 2) expect(csv.stderr, line).toMatch(/prints only .* cannot be used/);
    else expect(csv.stdout, line).toMatch(/^[\w.]+(,[\w.]+)*\r?\n/);
  });
  const examples = leaf.examples.flatMap((example) =>
    servicesOf(example.line, leaf).map((ids) => [example.line, ids, example] as const),
  );
  it.each(examples)('works as typed: %s (%s ids)', async (typed, ids, { exit = 0 }) => {
    await using service = await startService({ store: memoryStore(ids), seed: demoSeed(ids) });
    const cwd = signedIn(service.url);
    const line = ids === 'opaque' ? withOpaqueIds(typed) : typed;
    if (leaf.sample) {
      const content = leaf.sample.lines.join('\n');
      const own =
        ids === 'opaque' ? content.replace(/\{id: (\d+)/, (_, id) => `{id: ${opaqueId('collabs', id)}`) : content;
      writeFileSync(join(cwd, leaf.sample.name), `${own}\n`);
    }
    const previous = process.cwd();
    process.chdir(cwd);
    try {
      const [command = '', input] = line.split(' < ');
      const [program, ...argv] = wordsOf(command);
      const stdin = input === undefined ? '' : tokens.ada_write;
      const screen = await runCli(argv, { ...where, cwd, stdin, env: { MKT_BASE_URL: service.url } });
      expect(program).toBe('mkt');
      expect(screen, screen.stderr).toMatchObject({ code: exit });
      if (exit === 0) expect(screen.stderr).not.toContain('error:');
    } finally {
      process.chdir(previous);
    }
  });
});
