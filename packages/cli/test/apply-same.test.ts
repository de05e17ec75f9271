import { campaignFields, collabFields } from '@mkt/sdk/contract';
import type { Server } from '@mkt/server/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyEnvironment } from './support/apply.js';
import { between } from './support/between.js';
import { startService } from './support/service.js';

let service: Server;
beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.close());

const brief = `<div>
  <p>Caf&eacute; &amp; <b title="x" onclick="steal()">bar</b>,
     <a title="t" href="https://acme.example/?a=1&amp;b=2">look</a> 5 &lt; 6</p>
  <script>alert(1)</script>
  <p>An image: <img alt="A" src="https://acme.example/x.png"><br/>End &nbsp; here</p>
  <pre>  two
    lines </pre>
</div>
`;

const anyValues = ['text', 7, true, ['Summer sale', 'glow'], '2026-06-01T12:00:00Z'];

/** Every field that can be written. Those with a value here have one that a service may keep in another form. */
const values: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(
    Object.entries({ ...campaignFields.shape, ...collabFields.shape }).map(([field, schema]) => [
      field,
      anyValues.findLast((value) => schema.safeParse(value).success),
    ]),
  ),
  name: '  Spaces  around, "quotes" & <b>tags</b> 🎉 ',
  website: 'HTTPS://Shop.Acme.Example:443',
  content_type: 'ugc',
  category: 'app_install',
  currency: 'EUR',
  cpm_amount: 0,
  min_payout_amount: 0,
  max_payout_amount: Number.MAX_SAFE_INTEGER,
  base_reward_amount: 7,
  platform_ids: ['YouTube', 'tiktok', 'instagram'],
  countries: ['us', 'NO', ' GB '],
  tiktok_music_id: '  ',
  brief,
  require_spark_ads: true,
  requires_product_shipment: true,
  purge_banner_image: true,
};

const cleared = { website: null, tiktok_music_id: null, brief: null, countries: [], platform_ids: [] };

const objectOf = (fields: readonly string[]) => Object.fromEntries(fields.map((field) => [field, values[field]]));
const subset = (fields: readonly string[], from: object) =>
  Object.fromEntries(Object.entries(from).filter(([field]) => fields.includes(field)));

const resources = [
  ['campaigns', Object.keys(campaignFields.shape), 48],
  ['collabs', Object.keys(collabFields.shape), 25],
] as const;

describe.each(resources)('%s', (resource, fields, next) => {
  it('tests every writable field', () => {
    expect(fields.filter((field) => values[field] === undefined)).toEqual([]);
  });

  it.each(['create', 'update'])('after %s, the same file finds nothing to do, field by field', async (how) => {
    const { json } = applyEnvironment(service.url);
    const id = how === 'create' ? next : 1;
    const object = { ...(how === 'update' && { id }), ...objectOf(fields) };
    const text = JSON.stringify({ [resource]: [object] });
    const first = await json(text, '--yes');
    expect(first.changes).toMatchObject([{ id, steps: [how], outcome: 'done', differs: [] }]);
    const second = await json(text, '--yes');
    expect(second.changes).toMatchObject([{ fields: {}, steps: [], outcome: 'unchanged' }]);
    for (const field of fields) {
      const single = JSON.stringify({ [resource]: [{ id, [field]: values[field] }] });
      expect({ field, ...(await json(single, '--yes')) }).toMatchObject({ field, up_to_date: true });
    }
  });

  it('keeps cleared fields cleared', async () => {
    const { json } = applyEnvironment(service.url);
    const text = JSON.stringify({ [resource]: [{ id: 1, ...subset(fields, cleared) }] });
    expect((await json(text, '--yes')).up_to_date).toBe(false);
    expect(await json(text, '--yes')).toMatchObject({ up_to_date: true });
    const blank = JSON.stringify({ [resource]: [{ id: 1, website: '', brief: ' \n' }] });
    expect(await json(blank, '--yes')).toMatchObject({ up_to_date: true });
  });

  it('finds no difference in equivalent values', async () => {
    const { json } = applyEnvironment(service.url);
    await json(JSON.stringify({ [resource]: [objectOf(fields)] }), '--yes');
    const otherwise = {
      id: next,
      website: 'https://shop.acme.example/',
      countries: ['GB', 'US', 'NO'],
      ...(resource === 'campaigns' && { platform_ids: ['instagram', 'tiktok', 'youtube'] }),
      brief: brief
        .replaceAll('&eacute;', 'é')
        .replace(/\n\s*(?=<p)/g, '')
        .replace(/<script>.*<\/script>/, '')
        .trim(),
    };
    expect(await json(JSON.stringify({ [resource]: [otherwise] }), '--dry-run')).toMatchObject({ up_to_date: true });
    await json(JSON.stringify({ [resource]: [{ id: next, brief: 'Salt &amp; <i>pepper</i>' }] }), '--yes');
    const plain = { id: next, brief: '\n Salt &amp;  <i>pepper</i>' };
    expect(await json(JSON.stringify({ [resource]: [plain] }), '--dry-run')).toMatchObject({ up_to_date: true });
  });

  it.each([
    ['another word', (html: string) => html.replace('look', 'see')],
    ['another address of a link', (html: string) => html.replace('a=1', 'a=2')],
    ['bold instead of nothing', (html: string) => html.replace('An image', '<b>An image</b>')],
    [
      'a tag that becomes text',
      (html: string) => html.replace('<b title="x" onclick="steal()">bar</b>', '&lt;b&gt;bar&lt;/b&gt;'),
    ],
    ['another space within pre', (html: string) => html.replace('  two', ' two')],
    ['two paragraphs made one', (html: string) => html.replace(/<\/p>\s*<script>.*<\/script>\s*<p>/s, ' ')],
  ])('finds a difference in a brief with %s', async (_what, change) => {
    const { json } = applyEnvironment(service.url);
    await json(JSON.stringify({ [resource]: [{ id: 1, brief }] }), '--yes');
    expect(change(brief)).not.toBe(brief);
    const { changes } = await json(JSON.stringify({ [resource]: [{ id: 1, brief: change(brief) }] }), '--dry-run');
    expect(changes).toMatchObject([{ steps: ['update'] }]);
    expect(Object.keys(changes[0]?.fields ?? {})).toEqual(['brief']);
  });
});

describe('a service that stores values in its own form', () => {
  interface Kept {
    website?: string;
    countries?: string[];
    brief?: string;
  }
  const serving = (reshape: (row: Kept) => Kept) =>
    between(service.url, {
      after: (_asked, body) => {
        if (typeof body !== 'object' || body === null) return undefined;
        return Array.isArray(body) ? body.map((row: Kept) => reshape(row)) : reshape(body as Kept);
      },
    });
  const text = JSON.stringify({ campaigns: [{ name: 'Kept', ...subset(['website', 'countries', 'brief'], values) }] });

  it('causes no differences if the values mean the same', async () => {
    const url = await serving(({ website, countries, brief: html, ...row }) => ({
      ...row,
      ...(website && { website: new URL(website).href }),
      ...(countries && { countries: [...countries].sort() }),
      ...(html && { brief: `<div class="rich-text">\n  ${html.replaceAll('&amp;', '&#38;')}\n</div>` }),
    }));
    const { json } = applyEnvironment(url);
    expect((await json(text, '--yes')).changes).toMatchObject([{ outcome: 'done', differs: [] }]);
    expect(await json(text, '--yes')).toMatchObject({ up_to_date: true });
  });

  it('is read again if its response to a change lacks fields', async () => {
    const url = await between(service.url, {
      after: ({ method }, body) => {
        if (method === 'GET') return undefined;
        const { brief: _brief, ...rest } = body as Kept;
        return rest;
      },
    });
    const { json } = applyEnvironment(url);
    expect((await json(text, '--yes')).changes).toMatchObject([{ outcome: 'done', differs: [] }]);
  });

  it('causes a warning if the values mean something else', async () => {
    const url = await serving((row) => (row.brief ? { ...row, brief: row.brief.toUpperCase() } : row));
    const { apply, json } = applyEnvironment(url);
    const { code, stderr } = await apply(text);
    expect(code).toBe(0);
    expect(stderr).toContain(
      'warning: The service stored brief of campaign 48 "Kept" in a different form, so the next run will show a difference again.',
    );
    expect((await json(text, '--yes')).changes).toMatchObject([{ steps: ['update'], differs: ['brief'] }]);
  });
});
