import { resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/** Deliberate mistakes of programs in TypeScript. Each is a statement after `prelude`. */
const mistakes = [
  `mkt.campaings.list(5);`,
  `mkt.campaigns.lst(5);`,
  `mkt.campaigns.get(5);`,
  `mkt.campaigns.get(5, 1, 2);`,
  `mkt.campaigns.get(null, 1);`,
  `mkt.campaigns.get(5, { id: 1 });`,
  `mkt.campaigns.create(5, {});`,
  `mkt.campaigns.create(5, { name: 5 });`,
  `mkt.campaigns.create(5, { nmae: 'x' });`,
  `mkt.campaigns.create(5, { name: 'x', cpm_amount: '500' });`,
  `mkt.campaigns.create(5, { name: 'x', countries: 'US' });`,
  `mkt.campaigns.update(5, 1, { ...campaign, name: 'x' });`,
  `mkt.campaigns.update(5, 1, { status: 'active' });`,
  `mkt.members.update(5, 'm1', { role: 'owner' });`,
  `if (campaign.status === 'actve') console.log();`,
  `if (collab.state === 'approved') console.log();`,
  `campaign.brief.length;`,
  `campaign.nmae;`,
  `mkt.campaigns.list(5, { per_page: 50 });`,
  `mkt.campaigns.list(5, { page: '2' });`,
  `for (const one of mkt.campaigns.list(5)) console.log(one);`,
  `for (const one of page) console.log(one);`,
  `const items: string[] = page.items;`,
  `new Marketplace({ token: 5 });`,
  `new Marketplace({ token: 'x', timeOut: 5 });`,
  `mkt.withOptions({ retry: { retries: 3 } });`,
  `mkt.campaigns.get(5, 1).then((one) => one.name.foo);`,
  `mkt.request<{ id: number }>('GET', '/x').then((one) => one.idd);`,
  `mkt.campaigns.publish(5, 1, { ifMatch: 'x' });`,
  `mkt.organizations.create({ name: 'x', privacy_setting: 'public' }, { ifMatch: 'x' });`,
  `mkt.socialAccounts.create({ platform_id: 'youtube' });`,
];

/** Right programs, which must compile: what is caught above is not caught by refusing everything. */
const right = [
  `mkt.campaigns.update(5, 1, { name: 'x' });`,
  `const { name, cpm_amount } = campaign; mkt.campaigns.update(5, 1, { name, cpm_amount });`,
  `if (campaign.status === 'active' && campaign.platform_ids.includes('vimeo')) console.log();`,
  `new Marketplace({ token: env.TOKEN, baseUrl: env.URL });`,
  `for (const one of page.items) console.log(one.name);`,
  `mkt.campaigns.get(5, 1).catch((error: Error) => error.message);`,
  `mkt.campaigns.get(5, 1).then(() => 1, (error: Error) => error.message);`,
  `mkt.each([1, 2], (id) => mkt.campaigns.get(5, id)).then((all) => all.length);`,
];

const prelude = `
import { Marketplace, type Campaign, type Collab, type Page, type CampaignListItem } from './src/index.js';
declare const mkt: Marketplace;
declare const campaign: Campaign;
declare const collab: Collab;
declare const page: Page<CampaignListItem>;
declare const env: Record<string, string | undefined>;
`;

/** The messages of the compiler for each statement. */
function messagesOf(statements: readonly string[]): string[][] {
  const folder = resolve(import.meta.dirname, '..');
  const config = ts.readConfigFile(resolve(folder, 'tsconfig.json'), ts.sys.readFile).config as { extends: string };
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, folder);
  const sources = new Map(
    statements.map((statement, index) => [resolve(folder, `mistake-${index}.ts`), `${prelude}{ ${statement} }\n`]),
  );
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.readFile = (name) => sources.get(name) ?? readFile(name);
  host.fileExists = (name) => sources.has(name) || fileExists(name);
  host.getSourceFile = (name, target) => {
    const text = sources.get(name);
    return text === undefined ? getSourceFile(name, target) : ts.createSourceFile(name, text, target);
  };
  const program = ts.createProgram(
    [...sources.keys()],
    { ...options, incremental: false, noUnusedLocals: false },
    host,
  );
  return [...sources.keys()].map((name) =>
    program
      .getSemanticDiagnostics(program.getSourceFile(name))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
  );
}

describe('the types', () => {
  it('catch deliberate mistakes, and let right programs pass', { timeout: 120_000 }, () => {
    const all = messagesOf([...mistakes, ...right]);
    const missed = mistakes.filter((_, index) => all[index]?.length === 0);
    expect(missed).toEqual([]);
    expect(all.slice(mistakes.length)).toEqual(right.map(() => []));
    const spread = all[mistakes.findIndex((one) => one.includes('...campaign'))]?.join('\n');
    expect(spread).toContain('SetByServer');
  });
});
