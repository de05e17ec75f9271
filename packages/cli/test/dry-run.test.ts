import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Server } from '@mkt/server/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isGroup } from '../src/context/command.js';
import { commands } from '../src/root/commands.js';
import { runCli, type Terminal, temporaryFolder } from './support/run-cli.js';
import { startService, tokens } from './support/service.js';

let service: Server;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const ada = (argv: readonly string[], terminal: Terminal = {}) =>
  runCli(argv, { ...terminal, env: { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url, MKT_ORG: '5' } });
const json = async (...argv: readonly string[]) => JSON.parse((await ada([...argv, '--json'])).stdout);

/** A PNG of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** What a dry run must not change. */
const state = async () =>
  Promise.all(
    ['campaigns', 'collabs', 'organizations', 'members', 'social-accounts', 'tokens'].map((name) =>
      json(name, 'list', '--all'),
    ),
  );

describe('--dry-run', () => {
  it('is a flag of every command that writes to the service', () => {
    const without = commands
      .flatMap((node) => (isGroup(node) ? node.commands().map((each) => ({ group: node.name, each })) : []))
      .filter(
        ({ each: { fields, flags = [] } }) => fields !== undefined && !flags.some(({ name }) => name === 'dry-run'),
      )
      .map(({ group, each }) => `${group} ${each.name}`);
    expect(without).toEqual([]);
  });

  it('of a creation and a change shows what would be sent, and sends nothing', async () => {
    const before = await state();
    const image = join(temporaryFolder(), 'logo.png');
    writeFileSync(image, PIXEL);
    const lines: readonly (readonly [argv: readonly string[], note: string, row: object])[] = [
      [
        ['campaigns', 'create', '--name', 'Glow', '--countries', 'de,at', '--brief', '- one\n- two'],
        'Would create campaign "Glow" in Acme Cosmetics:',
        { name: 'Glow', status: 'draft', countries: ['DE', 'AT'], currency: 'usd', cpm_amount: 500 },
      ],
      [
        ['collabs', 'create', '--name', 'Lip oil'],
        'Would create collab "Lip oil" in Acme Cosmetics:',
        { state: 'draft' },
      ],
      [
        ['collabs', 'create', '--from-page', 'https://acme.example/p'],
        'Would create a collab in Acme Cosmetics:\nThe service fills in the rest from https://acme.example/p.',
        { state: 'draft' },
      ],
      [
        ['campaigns', 'copy', '13', '--cpm-amount', '600'],
        'Would create campaign "Curl week (copy)" in Acme Cosmetics:',
        { name: 'Curl week (copy)', cpm_amount: 600, category: 'haircare', status: 'draft' },
      ],
      [
        ['campaigns', 'copy', '13', '--to-org', '7'],
        'Would create campaign "Curl week" in Initech Audio:',
        { name: 'Curl week' },
      ],
      [
        ['social-accounts', 'connect', '--platform', 'youtube', '--url', 'https://www.youtube.com/@new'],
        'Would connect social account "https://www.youtube.com/@new":',
        { platform_id: 'youtube' },
      ],
      [
        ['tokens', 'create', '--description', 'CI', '--permission', 'read'],
        'Would create token "CI":',
        { description: 'CI', permission: 'read' },
      ],
      [
        ['organizations', 'create', '--name', 'Acme Paris', '--logo', image],
        'Would create organization "Acme Paris":',
        { name: 'Acme Paris', logo: 'logo.png' },
      ],
    ];
    for (const [argv, note, row] of lines) {
      const { code, stdout, stderr } = await ada([...argv, '--dry-run', '--json']);
      expect({ code, stderr }, argv.join(' ')).toEqual({ code: 0, stderr: `${note}\n` });
      expect(JSON.parse(stdout), argv.join(' ')).toMatchObject(row);
    }
    const updates: readonly (readonly [argv: readonly string[], row: object])[] = [
      [['organizations', 'update', '5', '--website', 'https://x.example'], { id: 5, website: 'https://x.example' }],
      [['organizations', 'update', '5', '--logo', image], { id: 5, logo: 'logo.png' }],
      [['members', 'update', 'cleo@acme.example', '--role', 'admin'], { id: 'mem_5_cleo', role: 'admin' }],
    ];
    for (const [argv, row] of updates) {
      const { code, stdout, stderr } = await ada([...argv, '--dry-run', '--json']);
      expect({ code, stderr }, argv.join(' ')).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(/^Would update 1 /),
      });
      expect(JSON.parse(stdout), argv.join(' ')).toMatchObject(row);
      expect((await ada([...argv, '--dry-run'])).stdout).not.toContain('data');
    }
    expect(await state()).toEqual(before);
  });

  it('of a creation shows people the fields with the brief as text', async () => {
    const argv = ['campaigns', 'create', '--name', 'Glow', '--brief', '- one\n- two', '--dry-run'];
    const { stdout } = await ada(argv, { columns: 80 });
    expect(stdout).toMatch(/^name +Glow\nstatus +draft\n/);
    expect(stdout).toMatch(/\nbrief\n {2}- one\n {2}- two\n$/);
  });

  it('of several copies prints a row for each', async () => {
    const { stderr, stdout } = await ada(['campaigns', 'copy', '13', '--countries', 'DE,AT', '--each', '--dry-run']);
    expect(stderr).toBe('Would create 2 campaigns in Acme Cosmetics:\n');
    expect(stdout).toMatch(/Curl week \(DE\) +draft[\s\S]+Curl week \(AT\) +draft/);
  });

  it('of a creation reports what the service would reject', async () => {
    const wrong = ['campaigns', 'create', '--name', 'x', '--website', 'nope', '--dry-run'];
    const { code, stdout, stderr } = await ada(wrong);
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(stderr).toBe(
      'error: One field would be rejected.\n  --website  must be an http or https address, such as https://example.com, not "nope".\n',
    );
    const amounts = ['--min-payout-amount', '5000', '--max-payout-amount', '100'];
    const range = await ada(['campaigns', 'copy', '13', ...amounts, '--dry-run']);
    expect(range).toMatchObject({ code: 6, stdout: '' });
    expect(range.stderr).toContain('--min-payout-amount  must be at most --max-payout-amount, which is 100.');
  });
});
