// One campaign for each product of a shop, as NDJSON for `mkt import`.
//   node campaigns.mjs products.json > campaigns.ndjson
import { readFileSync } from 'node:fs';

/** What a thousand views are worth to this brand: more for what costs more. */
const cpmFor = (price) => Math.round(200 + price * 20);

/** Lowercase words with dashes, as the service writes its categories: `skin care` is `skin-care`. */
const slug = (text) => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

const [file = 'products.json'] = process.argv.slice(2);
for (const { sku, title, category, price, markets, page } of JSON.parse(readFileSync(file, 'utf8'))) {
  // Nobody makes a video about a voucher.
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
