import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigurationError, Marketplace, MarketplaceError } from '@mkt/sdk';
import { toSvg } from './chart.js';
import { toCsv } from './csv.js';
import { budgets, byCurrency, percent, sum } from './report.js';

const { values } = parseArgs({
  options: { org: { type: 'string', default: '5' }, out: { type: 'string', default: 'report' } },
});
const { MKT_TOKEN: token, MKT_BASE_URL: baseUrl } = process.env;

try {
  if (!token || !baseUrl) throw new ConfigurationError('Set MKT_TOKEN and MKT_BASE_URL.');
  const mkt = new Marketplace({ token, baseUrl });
  // Both at the same time.
  const [brand, rows] = await Promise.all([mkt.organizations.get(values.org), budgets(mkt, values.org)]);

  await mkdir(values.out, { recursive: true });
  await writeFile(join(values.out, 'budgets.csv'), toCsv(rows));
  await writeFile(join(values.out, 'budgets.svg'), toSvg(brand.name, rows));

  console.log(`${brand.name}: ${rows.length} campaigns with a budget`);
  for (const [currency, group] of byCurrency(rows)) {
    const [total, used] = [sum(group, 'total'), sum(group, 'used')];
    const campaigns = group.length === 1 ? 'campaign' : 'campaigns';
    console.log(`  ${currency}  ${used} of ${total} used (${percent(used, total)} %), ${group.length} ${campaigns}`);
  }
  console.log(`Written: ${join(values.out, 'budgets.csv')} and ${join(values.out, 'budgets.svg')}`);
} catch (error) {
  // The SDK's messages are written for users. Other errors are bugs of this program and keep their stack.
  if (!(error instanceof MarketplaceError)) throw error;
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
