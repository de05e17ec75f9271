import { describe, expect, it } from 'vitest';
import { version } from '../package.json';
import { runCli } from './support/run-cli.js';

describe('mkt version', () => {
  it('prints the version, and as data also the commit and the installation', async () => {
    expect(await runCli(['version'])).toMatchObject({ code: 0, stdout: `${version}\n` });
    const { stdout } = await runCli(['version', '--json']);
    const commit = process.env.MKT_TEST_BUILT === undefined ? null : expect.stringMatching(/^[0-9a-f]{40}$/);
    expect(JSON.parse(stdout)).toEqual({ version, commit, installed: expect.any(String) });
  });
  it('is what -v means without a command', async () => {
    expect(await runCli(['-v'])).toMatchObject({ code: 0, stdout: `${version}\n` });
  });
});

describe('help inside a group', () => {
  it('is that of the command or of the group', async () => {
    for (const words of [['campaigns', 'publish'], ['orgs', 'list'], ['campaigns']]) {
      const [group = '', ...command] = words;
      const { code, stdout } = await runCli([group, 'help', ...command]);
      expect({ code, stdout }).toEqual({ code: 0, stdout: (await runCli([...words, '--help'])).stdout });
    }
    const mistyped = await runCli(['campaigns', 'help', 'pubish']);
    expect(mistyped.stderr).toContain('Unknown command "pubish". Did you mean publish?');
  });
});
