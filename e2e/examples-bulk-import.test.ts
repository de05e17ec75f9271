import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { demoTokens } from '@mkt/server';
import { describe, expect, test, vi } from 'vitest';
import { chaosProxy } from './support/chaos-proxy.js';
import { exampleFixture } from './support/example-fixture.js';
import { cutResponse, passThrough } from './support/network-faults.js';

// Lost answers are waited for before they are looked for.
vi.setConfig({ testTimeout: 120_000 });

interface Product {
  readonly sku: string;
  readonly title: string;
  readonly price: number;
}

const fixture = exampleFixture(join(import.meta.dirname, '../examples/bulk-import'));

const env = (baseUrl = fixture.service.url) => ({
  MKT_BASE_URL: baseUrl,
  MKT_TOKEN: demoTokens.ada_write,
  MKT_ORG: '7',
});
const file = (name: string): string => join(fixture.shop.folder, name);
const products = (): Product[] => JSON.parse(readFileSync(file('products.json'), 'utf8'));
const sold = (): string[] =>
  products()
    .filter(({ price }) => price > 0)
    .map(({ title, sku }) => `${title} (${sku})`)
    .sort();

/** What the organization holds, by name. */
const created = async (): Promise<string[]> => {
  const { stdout } = await fixture.shop.run(['mkt', 'campaigns', 'list', '--all', '--json', '--fields', 'name'], env());
  return (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name).sort();
};

describe('a product list becomes campaigns', () => {
  test('each once, however often the script runs; what is added follows', async () => {
    const first = await fixture.shop.run(['./import.sh'], env());
    expect(first.code, first.stderr).toBe(0);
    expect(await created()).toEqual(sold());
    const second = await fixture.shop.run(['./import.sh'], env());
    expect(second.code, second.stderr).toBe(0);
    expect(second.stderr).toContain('Every row of campaigns.ndjson has been created');
    const more = [...products(), { ...products()[0], sku: 'AC-200', title: 'Foot balm & more' }];
    writeFileSync(file('products.json'), JSON.stringify(more));
    expect((await fixture.shop.run(['./import.sh'], env())).code).toBe(0);
    expect(await created()).toEqual(sold());
    const names = '[.[] | select(.name | startswith("Foot balm")) | .id][0]';
    const { stdout: id } = await fixture.shop.run(['mkt', 'campaigns', 'list', '--all', '--jq', names], env());
    const { stdout } = await fixture.shop.run(['mkt', 'campaigns', 'show', id.trim(), '--json'], env());
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'draft',
      category: 'skin-care',
      countries: ['US', 'CA'],
      cpm_amount: 780,
      brief: '<p>Show how you use <b>Foot balm &amp; more</b> on an ordinary day.</p>',
    });
  });

  test('creates each one once, over a network that loses responses', async () => {
    await using proxy = await chaosProxy(fixture.service.url);
    // Reading comes first; then every second connection breaks when the answer to a creation comes back.
    proxy.plan((connection) => (connection % 2 === 1 ? cutResponse(0, 'reset') : passThrough));
    let code: number | null = null;
    for (let run = 0; run < 5 && code !== 0; run += 1) {
      ({ code } = await fixture.shop.run(['./import.sh'], env(proxy.url)));
      expect([0, 8, 9]).toContain(code);
    }
    expect(code).toBe(0);
    expect(await created()).toEqual(sold());
  });

  test('a list with a problem: its line is named, nothing is created', async () => {
    writeFileSync(file('products.json'), JSON.stringify([...products(), { ...products()[0], markets: ['usa'] }]));
    const { code, stderr } = await fixture.shop.run(['./import.sh'], env());
    expect(code).toBe(2);
    expect(stderr).toContain('campaigns.ndjson:8: "countries" must be a two-letter country code');
    expect(await created()).toEqual([]);
    expect(existsSync(file('campaigns.import.ndjson'))).toBe(false);
  });
});
