import { type Row, withNulls } from '../../store/tables.js';
import { currencyOf } from './currency.js';
import { serumBanner } from './images.js';
import type { Timeline } from './timeline.js';

type Collab = Row<'collabs'>;

export type CollabPlan = readonly [name: string, product: string, countries: string];

interface Outline {
  readonly id: number;
  readonly organization_id: number;
  readonly domain: string;
  readonly plan: CollabPlan;
  readonly state: string;
}

/** Collabs 1 to 23: Acme Cosmetics. Collab 24: Globex Snacks. */
const plans: readonly CollabPlan[] = [
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

const isOpen = (state: string): boolean => state === 'published' || state === 'paused';

/** A collab whose unnamed fields follow from its number. */
export const collabRow = ({ id, organization_id, domain, plan, state }: Outline, next: Timeline): Collab => {
  const [name, product, countryList] = plan;
  const countries = countryList.split(' ');
  const shipped = id % 3 === 0;
  const created_at = next();
  return withNulls('collabs', {
    id,
    organization_id,
    name,
    state,
    currency: currencyOf(countries),
    countries,
    website: `https://${domain}/products/${product}`,
    require_spark_ads: id % 4 === 0,
    requires_product_shipment: shipped,
    submissions_count: isOpen(state) ? (id * 5) % 18 : 0,
    approved_submissions_count: 0,
    completed_count: 0,
    published_at: isOpen(state) ? next() : null,
    brief:
      `<p>Show how <em>${product.replaceAll('-', ' ')}</em> fits into your day.</p>` +
      `<p>${shipped ? 'We send you the product.' : 'Use the one you own.'} One video, up to a minute.</p>`,
    created_at,
    updated_at: state === 'draft' ? created_at : next(),
  });
};

/** Collabs 3 and 5 have approved submissions and cannot be deleted (api.md, Collabs rule 4); 5 is a draft. */
const special: Readonly<Record<number, Partial<Collab>>> = {
  3: { submissions_count: 14, approved_submissions_count: 6, completed_count: 4, banner_image_key: serumBanner },
  5: { submissions_count: 2, approved_submissions_count: 1 },
};

export const collabs = (next: Timeline): Collab[] =>
  plans.map((plan, index) => {
    const id = index + 1;
    const home =
      id === 24 ? { organization_id: 6, domain: 'globex.example' } : { organization_id: 5, domain: 'acme.example' };
    return { ...collabRow({ id, ...home, plan, state: stateOf(id) }, next), ...special[id] };
  });
