import type { Server } from '@mkt/server/node';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isLong } from '../../server/test/support/long.js';
import { applyEnvironment } from './support/apply.js';
import { startService } from './support/service.js';

let service: Server;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Pieces of HTML in any order: sound, broken and hostile. */
const pieces = [
  ...['<p>', '</p>', '<div>', '</div>', '<b>', '</b>', '<pre>', '</pre>', '<br>', '<ul><li>', '</li></ul>', '<h5>'],
  ...['text', ' ', '  ', '\n', '\t', '\u00a0', '&nbsp;', '&amp;', '&lt;', '&#x41;', '&bogus;', '<', '>', '"', "'", '&'],
  ...[
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<a href="javascript:x">',
    '<a href="https://a.example/?b=1&c=2">',
  ],
  ...['</a>', '<!-- c -->', '<style>p{}</style>', '<svg><p>', '</svg>', '<a href="', '<P CLASS=x>', '日本語 🎉'],
];
const brief = fc.oneof(
  fc.constant(null),
  fc
    .string({ maxLength: 40, unit: 'binary' })
    .filter((text) => !text.startsWith('@') && !/[\0\p{Surrogate}]/u.test(text)),
  fc.array(fc.constantFrom(...pieces), { maxLength: 24 }).map((parts) => parts.join('')),
);
const text = fc
  .string({ maxLength: 60, unit: 'grapheme' })
  .filter((value) => value.trim() !== '' && !value.includes('\0'));
const codes = (all: readonly string[]) => fc.uniqueArray(fc.constantFrom(...all), { maxLength: all.length });
const website = fc.oneof(
  fc.constant(null),
  fc.constant(' '),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
);

const shared = {
  website,
  currency: fc.constantFrom('usd', 'eur', 'jpy'),
  countries: codes(['US', 'NO', 'GB', 'JP']),
  brief,
};
const campaign = fc.record(
  {
    ...shared,
    content_type: fc.constantFrom('ugc', 'faceless', 'a-b_c'),
    category: fc.constantFrom('product', 'app'),
    platform_ids: codes(['youtube', 'tiktok', 'x']),
    tiktok_music_id: fc.option(fc.oneof(text, fc.constant(''))),
    cpm_amount: fc.maxSafeNat(),
    base_reward_amount: fc.nat(),
    status: fc.constantFrom('draft', 'active', 'paused'),
  },
  { requiredKeys: [] },
);
const collab = fc.record(
  {
    ...shared,
    require_spark_ads: fc.boolean(),
    requires_product_shipment: fc.boolean(),
    purge_banner_image: fc.boolean(),
    state: fc.constantFrom('draft', 'submitted_for_review', 'published', 'paused'),
  },
  { requiredKeys: [] },
);

const pair = fc.record({ name: text, campaign, collab, laterCampaign: campaign, laterCollab: collab });

// Each case brings new names, so that every state can be reached, and names them again in a second round of changes.
it('finds nothing to do in a second run of any generated declaration', { timeout: 900_000 }, async () => {
  const { json } = applyEnvironment(service.url);
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(pair, { minLength: 1, maxLength: 12 }), async (pairs) => {
      round += 1;
      const named = pairs.map((each, index) => ({ ...each, name: `${each.name} ${round}.${index}` }));
      const created = JSON.stringify({
        campaigns: named.map(({ name, campaign: fields }) => ({ name, ...fields })),
        collabs: named.map(({ name, collab: fields }) => ({ name, ...fields })),
      });
      const first = await json(created, '--yes');
      for (const change of first.changes)
        expect(change).toMatchObject({ outcome: expect.stringMatching(/^(done|waiting)$/), differs: [] });
      // A review by the marketplace is not over yet.
      const waits = first.changes.some((change) => change.outcome === 'waiting');
      expect(await json(created, '--yes')).toMatchObject({ up_to_date: !waits });

      // What a published one no longer takes is left out; the states stay as they are.
      const later = JSON.stringify({
        campaigns: named.map(
          ({ name, laterCampaign: { status: _s, cpm_amount: _c, base_reward_amount: _b, currency: _u, ...rest } }) => ({
            name,
            ...rest,
          }),
        ),
        collabs: named.map(({ name, laterCollab: { state: _s, ...rest } }) => ({ name, ...rest })),
      });
      await json(later, '--yes');
      expect(await json(later, '--dry-run')).toMatchObject({ up_to_date: true });
    }),
    { numRuns: isLong ? 200 : 5 },
  );
});
