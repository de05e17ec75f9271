import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { demoSeed, type IdFormat, memoryStore } from '@mkt/server';
import { expect, it, onTestFinished } from 'vitest';
import { runCli, temporaryFolder } from './support/run-cli.js';
import { startService, tokens } from './support/service.js';

it.each<IdFormat>(['integer', 'opaque'])('prints ids in JSON as the service sends them: %s', async (ids) => {
  const service = await startService({ store: memoryStore(ids), seed: demoSeed(ids) });
  onTestFinished(() => service.close());
  const folder = temporaryFolder();
  const env = { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url, XDG_CONFIG_HOME: folder };
  const run = async (...argv: readonly string[]) => {
    const { stdout, stderr } = await runCli([...argv, '--json'], { env, cwd: folder });
    return JSON.parse(stdout || stderr);
  };
  const type = ids === 'integer' ? 'number' : 'string';
  const file = (name: string, content: unknown): string => {
    writeFileSync(join(folder, name), JSON.stringify(content));
    return join(folder, name);
  };
  const [{ id: organization }] = await run('organizations', 'list', '--fields', 'id');
  expect(typeof organization).toBe(type);
  const org = ['--org', String(organization)];
  const campaign = await run('campaigns', 'create', '--name', 'One', ...org);

  const declared = file('one.yaml', { campaigns: [{ id: campaign.id, category: 'service' }, { name: 'Two' }] });
  expect(await run('apply', declared, '--yes', ...org)).toMatchObject({
    organization: { id: organization },
    changes: [{ id: campaign.id }, { id: expect.any(ids === 'integer' ? Number : String) }],
  });
  const [imported] = await run('import', 'campaigns', file('rows.json', [{ name: 'Three' }]), '--yes', ...org);
  expect(typeof imported.id).toBe(type);
  const exported = await run('export', 'campaigns', '--fields', 'id', ...org);
  expect(exported).toEqual(expect.arrayContaining([{ id: campaign.id }, { id: imported.id }]));

  expect(await run('campaigns', 'delete', String(campaign.id), '--yes', ...org)).toMatchObject({ id: campaign.id });
  expect(await run('campaigns', 'delete', String(campaign.id), String(imported.id), '--yes', ...org)).toMatchObject([
    { id: campaign.id, ok: false },
    { id: imported.id, ok: true },
  ]);

  expect(await run('organizations', 'use', String(organization))).toMatchObject({ id: organization });
  expect(await run('auth', 'status')).toMatchObject({
    organization,
    organizations: expect.arrayContaining([{ id: organization, name: expect.any(String) }]),
  });
  expect(await run('auth', 'list')).toMatchObject([{ organization }]);
  expect(await run('organizations', 'delete', String(organization), '--yes')).toMatchObject({ id: organization });
});
