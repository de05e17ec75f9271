import type { Row } from '../../store/tables.js';
import { currencyOf } from './currency.js';
import { serumBanner } from './images.js';
import type { Timeline } from './timeline.js';

type Collab = Row<'collabs'>;

type Plan = readonly [name: string, product: string, countries: string];

/** Collabs 1 to 23: Acme Cosmetics. Collab 24: Globex Snacks. */
const plans: readonly Plan[] = [
  ['Try our new night cream', 'night-cream', 'US CA'],
  ['Lip tint launch team', 'lip-tint', 'US CA'],
  ['Hydra Serum: thirty days', 'hydra-serum', 'US CA'],
  ['Curl cream on four hair types', 'curl-cream', 'US'],
  ['Advent calendar first look', 'advent-calendar', 'US GB'],
  ['Sunscreen at altitude', 'sunscreen-50', 'US AT CH'],
  ['Refill pouch unboxing', 'refill-pouch', 'DE AT'],
  ['Brow kit tutorial', 'brow-kit', 'US CA'],
  ['Beard oil barber visits', 'beard-oil', 'US'],
  ['Vitamin C routine swap', 'day-cream', 'US CA'],
  ['Mascara gym session', 'mascara', 'GB IE'],
  ['Clay mask movie night', 'clay-mask', 'US'],
  ['Duo: mère et fille', 'cleansing-milk', 'FR BE'],
  ['Travel minis, one weekend', 'travel-minis', 'US CA'],
  ['Nail polish colour chart', 'nail-polish', 'US MX'],
  ['Body butter in winter', 'body-butter', 'SE NO'],
  ['Perfume, described blind', 'eau-de-parfum', 'US'],
  ['Foundation match at home', 'foundation', 'US NG'],
  ['Lash serum long term test', 'lash-serum', 'US CA'],
  ['Setting spray on stage', 'setting-spray', 'US'],
  ['Solid shampoo, plastic free', 'solid-shampoo', 'CA'],
  ['Hand cream for makers', 'hand-cream', 'US CA'],
  ['Lip oil with friends', 'lip-oil', 'US KR'],
  ['Snack box road trip', 'snack-box', 'US'],
];

const drafts = new Set([1, 5, 19]);
const submitted = new Set([2, 20]);
const paused = new Set([4, 9, 14]);

const stateOf = (id: number): string =>
  drafts.has(id) ? 'draft' : submitted.has(id) ? 'submitted_for_review' : paused.has(id) ? 'paused' : 'published';

/** Collabs 3 and 5 have approved submissions and cannot be deleted (api.md, Collabs rule 4); 5 is a draft. */
const countsOf = (id: number, state: string) => {
  if (id === 3) return { submissions_count: 14, approved_submissions_count: 6, completed_count: 4 };
  if (id === 5) return { submissions_count: 2, approved_submissions_count: 1, completed_count: 0 };
  const open = state === 'published' || state === 'paused';
  return { submissions_count: open ? (id * 5) % 18 : 0, approved_submissions_count: 0, completed_count: 0 };
};

const collab = (id: number, [name, product, countryList]: Plan, next: Timeline): Collab => {
  const countries = countryList.split(' ');
  const state = stateOf(id);
  const shipped = id % 3 === 0;
  const created_at = next();
  const published_at = state === 'published' || state === 'paused' ? next() : null;
  return {
    id,
    organization_id: id === 24 ? 6 : 5,
    name,
    state,
    currency: currencyOf(countries),
    countries,
    website: `https://${id === 24 ? 'globex' : 'acme'}.example/products/${product}`,
    require_spark_ads: id % 4 === 0,
    requires_product_shipment: shipped,
    ...countsOf(id, state),
    published_at,
    banner_image_key: id === 3 ? serumBanner : null,
    brief:
      `<p>Show how <em>${product.replaceAll('-', ' ')}</em> fits into your day.</p>` +
      `<p>${shipped ? 'We send you the product.' : 'Use the one you own.'} One video, up to a minute.</p>`,
    created_at,
    updated_at: state === 'draft' ? created_at : next(),
  };
};

export const collabs = (next: Timeline): Collab[] => plans.map((plan, index) => collab(index + 1, plan, next));
