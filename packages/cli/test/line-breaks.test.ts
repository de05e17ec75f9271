import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startImportService } from './support/import.js';
import { runCli, temporaryFolder } from './support/run-cli.js';
import { sharedService } from './support/service.js';
import { bundle } from './support/spawn-cli.js';

/** Characters that some readers take for the end of a line. */
const name = 'a\u2028b\u2029c\u0085d';
// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters at which some reader splits.
const linesOf = (text: string) => text.split(/\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/).filter((line) => line !== '');
const BOM = '\ufeff';

describe('mkt import', () => {
  const object = JSON.stringify({ name });
  it.each([
    ['rows.csv', `${BOM}name,cpm_amount\n"${name}",1\nother,2\n`],
    ['quoted.csv', `name,cpm_amount\r\n${name},1\r\nother,2\r\n`],
    ['mac.csv', `name,cpm_amount\r${name},1\rother,2\r`],
    ['rows.tsv', `${BOM}name\tcpm_amount\n${name}\t1\nother\t2\n`],
    ['rows.ndjson', `${BOM}${object}\n{"name":"other"}\n`],
    ['windows.ndjson', `${object}\r\n{"name":\r"other"}\r\n`],
    ['rows.json', `${BOM}[${object},\r{"name":"other"}]`],
    ['rows.yaml', `${BOM}- name: "${name}"\n- name: other\n`],
    ['mac.yaml', `- name: "${name}"\r- name: other\r`],
  ])('keeps them in %s, and its report has one line per event', async (file, text) => {
    const service = await startImportService();
    const { code, stderr } = await service.run(['campaigns', service.file(file, text)]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect((await service.stored()).map((row) => row.name).sort()).toEqual([name, 'other']);
    const report = file.replace(/\.\w+$/, '.import.ndjson');
    const lines = linesOf(service.read(report));
    for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
    // The report is read by the next run, also after an editor has put a byte order mark in front.
    service.file(report, `${BOM}${service.read(report)}`);
    const again = await service.run(['campaigns', join(service.folder, file)]);
    expect(again.stderr).not.toContain('is not a report');
    expect(await service.stored()).toHaveLength(2);
  });

  it('names the line of a problem behind them', async () => {
    const service = await startImportService();
    const { stderr } = await service.run(['campaigns', service.file('x.ndjson', `${object}\n{\n`)]);
    expect(stderr).toContain('x.ndjson:2');
  });
});

describe('with a service', () => {
  const service = sharedService();
  const created = async (): Promise<string> => {
    const argv = ['campaigns', 'create', '--org', '5', '--name', name, '--json'];
    const { code, stdout, stderr } = await runCli(argv, { env: service.env() });
    expect(code, stderr).toBe(0);
    expect(linesOf(stdout).join('\n')).toBe(stdout.trimEnd());
    return String(JSON.parse(stdout).id);
  };

  it('NDJSON of a list is one line per row, and stdin takes it, raw and with a byte order mark', async () => {
    const id = await created();
    const list = ['campaigns', 'list', '--org', '5', '--limit', '1', '--sort', '-id', '--format', 'ndjson'];
    const { stdout } = await runCli(list, { env: service.env() });
    expect(linesOf(stdout)).toHaveLength(1);
    const row = JSON.parse(stdout);
    expect(row).toMatchObject({ id: Number(id), name });
    for (const stdin of [
      `${BOM}${JSON.stringify(row)}\n`,
      `${BOM}[${JSON.stringify(row)}]`,
      `${BOM}${id}\r`,
      `${id}\u2028`,
    ]) {
      const argv = ['campaigns', 'delete', '-', '--org', '5', '--dry-run', '--yes', '--format', 'ndjson'];
      const { code, stdout: planned, stderr } = await runCli(argv, { env: service.env(), stdin });
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(JSON.parse(planned)).toMatchObject({ id: Number(id), result: 'planned' });
    }
  });

  it('mkt pull writes them so that mkt apply reads them', async () => {
    await created();
    const cwd = temporaryFolder();
    const { code, stdout } = await runCli(['pull', '--org', '5'], { env: service.env(), cwd });
    expect(code).toBe(0);
    const text = stdout.slice(stdout.indexOf('organization'));
    for (const content of [text, `${BOM}${text}`, text.replaceAll('\n', '\r')]) {
      writeFileSync(join(cwd, 'mkt.yaml'), content);
      const applied = await runCli(['apply', join(cwd, 'mkt.yaml'), '--dry-run'], { env: service.env(), cwd });
      expect(applied).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('Plan: 0 to create, 0 to change, 0 actions'),
      });
    }
  });

  it('mkt mcp reads a first message behind a byte order mark, and writes one line per message', async () => {
    const id = await created();
    const home = temporaryFolder();
    const env = { PATH: process.env.PATH ?? '', HOME: home, MKT_NO_KEYRING: '1', ...service.env() };
    const child = spawn(process.execPath, [bundle, 'mcp', '--org', '5'], { env, cwd: home, stdio: 'pipe' });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part) => {
      text += part;
    });
    const message = (content: object) => JSON.stringify({ jsonrpc: '2.0', ...content });
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name, version: '1' } };
    const args = { resource: 'campaigns', id: Number(id) };
    child.stdin.write(`${BOM}${message({ id: 1, method: 'initialize', params })}\r\n`);
    child.stdin.write(`${message({ method: 'notifications/initialized' })}\n`);
    child.stdin.write(`${message({ id: name, method: 'tools/call', params: { name: 'read', arguments: args } })}\n`);
    await expect.poll(() => linesOf(text).length, { timeout: 20_000 }).toBe(2);
    child.stdin.end();
    await once(child, 'close');
    const [first, second] = linesOf(text).map((line) => JSON.parse(line));
    expect(first).toMatchObject({ id: 1, result: { serverInfo: { name: 'mkt' } } });
    expect(second).toMatchObject({ id: name });
    expect(JSON.stringify(second.result)).toContain(JSON.stringify(name).slice(1, -1));
  });
});

describe('the settings', () => {
  const encodings: [string, (text: string) => Buffer][] = [
    ['with a byte order mark', (text) => Buffer.from(`${BOM}${text}`)],
    ['in UTF-16, as PowerShell writes it', (text) => Buffer.from(`${BOM}${text}`, 'utf16le')],
    ['with line ends of other systems', (text) => Buffer.from(text.replaceAll('\n', '\r'))],
  ];
  const get = async (cwd: string, key: string) => {
    const { code, stdout, stderr } = await runCli(['config', 'get', key], { cwd });
    return { code, stdout, stderr };
  };

  it.each(encodings)('.mkt.json %s', async (_how, encoded) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, '.mkt.json'), encoded(`{\n "org": "${name}",\n "format": "json"\n}\n`));
    expect(await get(cwd, 'format')).toEqual({ code: 0, stdout: 'json\n', stderr: '' });
    expect((await get(cwd, 'org')).stdout).toBe(`${name}\n`);
  });

  it.each(encodings)('config.json %s is read and changed', async (_how, encoded) => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'config'));
    const path = join(cwd, 'config', 'config.json');
    writeFileSync(path, encoded('{\n "active": "default",\n "profiles": {"default": {"format": "csv"}}\n}\n'));
    expect(await get(cwd, 'format')).toEqual({ code: 0, stdout: 'csv\n', stderr: '' });
    expect(await runCli(['config', 'set', 'format', 'json'], { cwd })).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(path, 'utf8')).profiles.default).toEqual({ format: 'json' });
  });

  it('an invalid byte in .mkt.json is named with its line', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, '.mkt.json'), Buffer.from('{\n "org": "\xe4"}', 'latin1'));
    expect(await get(cwd, 'org')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('.mkt.json:2 is not valid UTF-8'),
    });
  });
});
