// Prints one campaign per product as NDJSON for `mkt import`.
//   node campaigns.mjs products.json > campaigns.ndjson
import { readFileSync } from 'node:fs';

/** What the brand pays per thousand views: more for expensive products. */
const cpmFor = (price) => Math.round(200 + price * 20);

/** Lowercase words with dashes, the format of the service's categories: `skin care` is `skin-care`. */
const slug = (text) => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

const [file = 'products.json'] = process.argv.slice(2);
for (const { sku, title, category, price, markets, page } of JSON.parse(readFileSync(file, 'utf8'))) {
  // Vouchers get no campaign.
  if (price === 0) continue;
  const campaign = {
    name: `${title} (${sku})`,
    category: slug(category),
    website: page,
    countries: markets,
    platform_ids: ['tiktok', 'instagram'],
    cpm_amount: cpmFor(price),
    brief: `<p>Show how you use <b>${title.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</b> on an ordinary day.</p>`,
  };
  process.stdout.write(`${JSON.stringify(campaign)}\n`);
}
