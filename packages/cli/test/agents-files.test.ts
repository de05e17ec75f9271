import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it, onTestFinished, vi } from 'vitest';
import { mcpbEntries } from '../../../tools/release/mcpb.mjs';
import { temporaryFolder } from './support/run-cli.js';
import { startService, tokens } from './support/service.js';
import { bundle } from './support/spawn-cli.js';

vi.setConfig({ testTimeout: 60_000 });

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
const about = JSON.parse(read('package.json'));

it('has an entry for the registry of the protocol that names this version', () => {
  const entry = JSON.parse(read('server.json'));
  expect(entry).toMatchObject({ name: about.mcpName, version: about.version });
  expect(entry.packages).toMatchObject([{ identifier: about.name, version: about.version }]);
  expect(entry.description.length).toBeLessThanOrEqual(100);
});

it('has a bundle for desktop assistants that starts as its manifest says', async () => {
  const service = await startService();
  onTestFinished(() => service.close());
  const folder = temporaryFolder();
  const { version, description, license, author } = about;
  for (const { path, content } of mcpbEntries({
    version,
    description,
    license,
    author,
    homepage: 'https://acme.example',
  })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  const { command, args, env } = manifest.server.mcp_config;
  expect(command).toBe('node');
  /** The tools with what a person has filled in. */
  const connect = async (filledIn: Record<string, string>) => {
    const values: Record<string, string> = {
      __dirname: folder,
      'user_config.base_url': service.url,
      'user_config.token': tokens.ada_write,
      'user_config.organization': '',
      ...filledIn,
    };
    const filled = (text: string) => text.replace(/\$\{([\w.]+)\}/g, (whole, name: string) => values[name] ?? whole);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: args.map(filled),
        env: Object.fromEntries(
          Object.entries(env as Record<string, string>).map(([name, text]) => [name, filled(text)]),
        ),
        cwd: folder,
      }),
    );
    onTestFinished(() => client.close());
    return client;
  };
  const tools = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);
  const { allow_write: setting } = manifest.user_config;
  const client = await connect({ 'user_config.allow_write': String(setting.default) });
  expect(await tools(client)).not.toContain('apply_plan');
  const found = await client.callTool({ name: 'find', arguments: { resource: 'organizations' } });
  expect(found.structuredContent).toMatchObject({ total: 2 });
  // One that does not fill in settings it does not know.
  expect(await tools(await connect({}))).not.toContain('apply_plan');
  expect(await tools(await connect({ 'user_config.allow_write': 'true' }))).toContain('apply_plan');
});

it('has an llms.txt on the server whose links lead somewhere', async () => {
  const service = await startService();
  onTestFinished(() => service.close());
  const text = await (await fetch(`${service.url}/llms.txt`)).text();
  const links = [...text.matchAll(/\]\((\/[^)]+)\)/g)].map(([, path]) => `${service.url}${path}`);
  expect(links.length).toBeGreaterThan(1);
  for (const link of links) expect([link, (await fetch(link)).status]).toEqual([link, 200]);
});

it('writes a skill, and replaces another text only with --yes', async () => {
  const folder = temporaryFolder();
  const run = (...argv: string[]) =>
    promisify(execFile)(process.execPath, [bundle, 'help', 'agents', ...argv], {
      cwd: folder,
      env: { HOME: folder },
    }).then(
      ({ stderr }) => ({ code: 0, stderr }),
      ({ code, stderr }) => ({ code, stderr }),
    );
  const path = join(folder, 'mkt/SKILL.md');
  expect(await run('--skill')).toMatchObject({ code: 0, stderr: expect.stringContaining('Wrote ./mkt/SKILL.md') });
  const text = readFileSync(path, 'utf8');
  expect(text).toMatch(/^---\nname: mkt\ndescription: ".+"\n---\n\n# How AI assistants/);
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/guides/agents.md'), 'utf8');
  for (const page of [text, guide]) expect(page).not.toContain('--yes');
  expect(text).toContain('- `mkt campaigns list`: List campaigns');
  expect(await run('--skill')).toMatchObject({ code: 0 });
  writeFileSync(path, 'Mine');
  expect(await run('--skill')).toMatchObject({ code: 10 });
  expect(readFileSync(path, 'utf8')).toBe('Mine');
  expect(await run('--skill', '--yes')).toMatchObject({ code: 0 });
  expect(readFileSync(path, 'utf8')).toBe(text);
});
