import { describe, expect, it } from 'vitest';
import { adaWithService } from './support/ada.js';
import { runCli } from './support/run-cli.js';
import { scriptedServer } from './support/scripted-server.js';

const { ada } = adaWithService();

const serviceWith = (count: number) =>
  scriptedServer(() => ({
    body: Array.from({ length: count }, (_, index) => ({
      id: index + 1,
      name: index === 1 ? 'BRAND 1' : `Brand ${index + 1}`,
    })),
  }));

describe('an organization', () => {
  it.each(['acme cosmetics', 'ACME Cosmetics', ' Acme Cosmetics '])(
    'is found by its name in any case: %s',
    async (name) => {
      expect(await ada(['campaigns', 'list', '--org', name, '--limit', '1'])).toMatchObject({ code: 0 });
    },
  );
  it.each(['initech', 'AUDIO', 'initech adio'])('is suggested for a part of its name: %s', async (name) => {
    const { code, stderr } = await ada(['campaigns', 'list', '--org', name]);
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Did you mean "Initech Audio"?'),
    });
  });
  it('is the one with the exact name, of those that differ in case', async () => {
    const env = { MKT_TOKEN: 't', MKT_BASE_URL: await serviceWith(3) };
    expect(await runCli(['organizations', 'use', 'Brand 1'], { env })).toMatchObject({
      stderr: 'Now working in Brand 1 (organization 1).\n',
    });
    const { code, stderr } = await runCli(['organizations', 'use', 'bRAND 1'], { env });
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('2 organizations are named') });
  });
  it('is chosen from at most ten in a hint', async () => {
    const env = { MKT_TOKEN: 't', MKT_BASE_URL: await serviceWith(102) };
    const { code, stderr } = await runCli(['campaigns', 'list'], { env });
    expect(code).toBe(2);
    expect(stderr.match(/--org \d/g)).toHaveLength(10);
    expect(stderr).toContain('92 more: mkt organizations list --all\n');
  });
});
