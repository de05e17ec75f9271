import { describe, expect, test } from 'vitest';
import type { Image } from '../src/rules/context.js';
import { RuleError } from '../src/rules/errors.js';
import { ada, eachWithAda, json, site } from './support/ada.js';
import { campaigns, collabs, fault } from './support/forms.js';
import { gif, png } from './support/pictures.js';
import { demoSite, origin } from './support/visitor.js';

eachWithAda();

describe('campaigns', () => {
  test('can be created with only a name and the API’s defaults', async () => {
    const page = await ada.submit(`${campaigns}/new`, campaigns, { 'campaign[name]': 'Autumn <b>leaves</b>' });
    expect([page.status, page.location]).toEqual([303, `${campaigns}/48`]);
    const shown = await ada.follow(page);
    expect([shown.find('h1'), shown.find('.head .badge'), shown.find('.flash')]).toEqual([
      'Autumn <b>leaves</b>',
      'draft',
      'Campaign created.',
    ]);
    expect(await json(`${campaigns}/48`)).toMatchObject({
      name: 'Autumn <b>leaves</b>',
      website: 'https://acme.example',
      cpm_amount: 500,
      platform_ids: ['youtube', 'tiktok'],
      countries: ['US'],
    });
    expect((await ada.get(`${campaigns}/48`)).find('.flash')).toBeNull();
  });

  test('can be created with every field', async () => {
    const fields = {
      name: 'Everything',
      website: 'https://example.com/shop?a=1&b=2',
      content_type: 'review',
      category: 'beauty',
      currency: 'eur',
      cpm_amount: '9007199254740991',
      min_payout_amount: '0',
      max_payout_amount: '12',
      base_reward_amount: '3',
      platform_ids: 'tiktok instagram',
      countries: 'DE, AT,CH',
      tiktok_music_id: '7',
      brief: '<p>Be <b>kind</b></p><script>alert(1)</script>',
    };
    const sent = Object.fromEntries(Object.entries(fields).map(([name, value]) => [`campaign[${name}]`, value]));
    const page = await ada.submit(`${campaigns}/new`, campaigns, sent);
    expect(page.location).toBe(`${campaigns}/48`);
    expect(await json(`${campaigns}/48`)).toMatchObject({
      ...fields,
      cpm_amount: 9007199254740991,
      min_payout_amount: 0,
      max_payout_amount: 12,
      base_reward_amount: 3,
      platform_ids: ['tiktok', 'instagram'],
      countries: ['DE', 'AT', 'CH'],
      brief: '<p>Be <b>kind</b></p>',
    });
  });

  test('rejected with 422, messages at the fields, and the submitted values', async () => {
    const page = await ada.submit(`${campaigns}/new`, campaigns, {
      'campaign[name]': ' ',
      'campaign[cpm_amount]': '1.5',
      'campaign[countries]': 'US XX',
      'campaign[currency]': 'EURO',
      'campaign[category]': 'sun',
      'campaign[min_payout_amount]': '20000',
    });
    expect([page.status, page.find('[role=alert] p')]).toEqual([422, 'Not saved. See the fields below:']);
    expect(page.find('title')).toBe('Error: New campaign · Acme Cosmetics · mkt');
    // The page starts at the error summary, and each reason is one step from its field, without a script.
    expect(page.attribute('[role=alert]', 'autofocus')).not.toBeNull();
    expect(page.all('[role=alert] a')).toHaveLength(5);
    expect(fault(page, 'min_payout_amount')[0]).toBe(
      'Min payout amount must be at most the max payout amount, which is 10000.',
    );
    expect(page.attribute('[role=alert] a', 'href')).toBe('#field-name');
    expect(page.attribute('#field-name', 'aria-describedby')).toBe('field-name-hint field-name-error');
    expect(fault(page, 'name')).toEqual(['Name must not be blank.', 'true']);
    expect(fault(page, 'cpm_amount')).toEqual([
      '"1.5" is not a whole number. Write it without decimals and letters, such as 500 or 1,000.',
      'true',
    ]);
    expect(fault(page, 'currency')[0]).toBe('"EURO" is not a currency. Type its three-letter code, such as EUR.');
    expect(fault(page, 'countries')[0]).toBe(
      '"US XX" is not a country. Type names or two-letter codes, such as Germany or DE.',
    );
    expect(fault(page, 'category')).toEqual([null, null]);
    expect(page.form(campaigns)).toMatchObject({
      'campaign[cpm_amount]': '1.5',
      'campaign[countries]': 'US XX',
      'campaign[category]': 'sun',
    });
    expect((await site.json('ada_write', `${campaigns}.json`)).headers.get('total-count')).toBe('45');

    const corrected = await ada.post(campaigns, {
      ...page.form(campaigns),
      'campaign[name]': 'Corrected',
      'campaign[cpm_amount]': '15',
      'campaign[countries]': 'US',
      'campaign[currency]': 'eur',
      'campaign[min_payout_amount]': '1',
    });
    expect(corrected.location).toBe(`${campaigns}/48`);
  });

  test('cannot be created with a blank name', async () => {
    const page = await ada.submit(`${campaigns}/new`, campaigns, { 'campaign[name]': '' });
    expect([page.status, fault(page, 'name')[1]]).toEqual([422, 'true']);
  });

  test('can be changed; saving the form without changes changes nothing', async () => {
    const before = await json(`${campaigns}/4`);
    const page = await ada.submit(`${campaigns}/4/edit`, `${campaigns}/4`);
    expect([page.status, page.location]).toEqual([303, `${campaigns}/4`]);
    expect((await ada.follow(page)).find('.flash')).toBe('Nothing was changed.');
    expect(await json(`${campaigns}/4`)).toEqual(before);

    await ada.submit(`${campaigns}/4/edit`, `${campaigns}/4`, {
      'campaign[name]': 'Renamed',
      'campaign[website]': '',
      'campaign[countries]': '',
    });
    expect(await json(`${campaigns}/4`)).toMatchObject({ name: 'Renamed', website: null, countries: [] });
  });

  test('cannot be changed in fields that publication locks (D35): 422 at the field, with a link back', async () => {
    const page = await ada.submit(`${campaigns}/4/edit`, `${campaigns}/4`, {
      'campaign[cpm_amount]': '1',
      'campaign[name]': 'Typed too',
    });
    expect([page.status, fault(page, 'cpm_amount')[0]]).toEqual([
      422,
      'The campaign was published meanwhile, so this can no longer be changed.',
    ]);
    // Both values are shown, and what else was typed stays.
    expect(page.all('.versions dd').at(-1)).toBe('1');
    expect(page.form(`${campaigns}/4`)['campaign[name]']).toBe('Typed too');
    expect(page.find('h1')).toBe('Edit Lip tint shade finder');
    expect(page.attribute('form .actions a', 'href')).toBe(`${campaigns}/4`);
  });

  test('can be deleted after confirmation', async () => {
    const question = await ada.get(`${campaigns}/1/delete`);
    expect(question.find('h1')).toBe('Delete Summer UGC Campaign?');
    expect((await json(`${campaigns}/1`)).id).toBe(1);
    const page = await ada.post(`${campaigns}/1`, question.form(`${campaigns}/1`));
    expect([page.status, page.location]).toEqual([303, campaigns]);
    expect((await ada.follow(page)).find('.flash')).toBe('Campaign deleted.');
    expect((await site.json('ada_write', `${campaigns}/1.json`)).status).toBe(404);
  });

  test('offer no deletion unless they are drafts (D36), and explain why', async () => {
    const reason = 'A campaign that is active cannot be deleted. Only drafts can be deleted. Pause it instead.';
    const shown = await ada.get(`${campaigns}/3`);
    expect([shown.all('.head a'), shown.find('.hint.after')]).toEqual([['Edit', 'Duplicate'], reason]);
    expect((await ada.get(`${campaigns}/4`)).find('.hint.after')).toBe(
      'A campaign that is paused cannot be deleted. Only drafts can be deleted.',
    );
    const page = await ada.get(`${campaigns}/3/delete`);
    expect([page.find('h1'), page.find('main > p')]).toEqual(['<b>Bold</b> launch cannot be deleted', reason]);
    expect(page.all('main form')).toEqual([]);

    const form = (await ada.get(`${campaigns}/1/delete`)).form(`${campaigns}/1`);
    const rejected = await ada.post(`${campaigns}/3`, { ...form, etag: '' });
    expect([rejected.status, rejected.find('h1')]).toEqual([422, '<b>Bold</b> launch cannot be deleted']);
  });
});

describe('web actions (D37, D38, D39)', () => {
  const act = async (path: string, action: string) =>
    ada.follow(await ada.submit(action === 'publish' ? `${path}/publish/confirm` : path, `${path}/${action}`));

  test('a campaign is published, paused and resumed; each state offers its own actions', async () => {
    const path = `${campaigns}/1`;
    const steps = [];
    for (const action of ['publish', 'pause', 'resume']) {
      const page = await act(path, action);
      steps.push([page.find('.head .badge'), page.find('.flash'), page.find('.head button')]);
    }
    expect(steps).toEqual([
      ['active', 'Campaign published.', 'Pause'],
      ['paused', 'Campaign paused.', 'Resume'],
      ['active', 'Campaign resumed.', 'Pause'],
    ]);
    // The API forgets when it was paused.
    expect((await ada.get(path)).all('dl > div').filter((text) => /^(Paused|Published)/.test(text))).toEqual([
      expect.stringMatching(/^Published.+ UTC$/),
      'Paused–',
    ]);
  });

  test('a collab is submitted, paused and unpaused', async () => {
    expect((await act(`${collabs}/1`, 'submit')).find('.head .badge')).toBe('submitted for review');
    expect((await act(`${collabs}/3`, 'pause')).find('.flash')).toBe('Collab paused.');
    expect((await act(`${collabs}/3`, 'unpause')).find('.head .badge')).toBe('published');
  });

  test('an action that the state does not permit redirects too, and the reason is shown once', async () => {
    const { shown: _, ...form } = (await ada.get(`${campaigns}/1/publish/confirm`)).form(`${campaigns}/1/publish`);
    await site.json('ada_write', `${campaigns}/1/publish`, { method: 'POST' });
    const page = await ada.post(`${campaigns}/1/publish`, form);
    expect([page.status, page.location]).toEqual([303, `${campaigns}/1`]);
    const shown = await ada.follow(page);
    expect(shown.find('[role=alert]')).toBe('Campaign 1 is active: it can be published only when it is draft.');
    expect((await ada.get(`${campaigns}/1`)).find('[role=alert]')).toBeNull();
  });

  test('a flash message with an invalid signature is not shown', async () => {
    const forged = btoa(JSON.stringify({ tone: 'good', text: 'Send us money' }));
    for (const value of [`${forged}.${'x'.repeat(43)}`, forged, '.', 'x.y']) {
      ada.cookies.set('mkt_flash_4010', value);
      expect((await ada.get('/organizations')).find('.flash')).toBeNull();
    }
  });
});

describe('collabs', () => {
  test('can be created from an empty form (Collabs rule 2); checkboxes set booleans', async () => {
    const page = await ada.submit(`${collabs}/new`, collabs);
    expect(page.location).toBe(`${collabs}/25`);
    expect(await json(`${collabs}/25`)).toMatchObject({ name: 'Untitled collab', countries: ['US', 'CA'] });

    await ada.submit(`${collabs}/25/edit`, `${collabs}/25`, { 'collab[require_spark_ads]': 'true' });
    expect(await json(`${collabs}/25`)).toMatchObject({ require_spark_ads: true, requires_product_shipment: false });
    expect((await ada.get(`${collabs}/25/edit`)).form(`${collabs}/25`)).toMatchObject({
      'collab[require_spark_ads]': 'true',
    });
    await ada.submit(`${collabs}/25/edit`, `${collabs}/25`, { 'collab[require_spark_ads]': 'false' });
    expect(await json(`${collabs}/25`)).toMatchObject({ require_spark_ads: false });
  });

  describe('that start from a product page (D42)', () => {
    const found = {
      website: 'https://shop.example/serum',
      name: 'Serum',
      brief: '<p>Glow</p>',
      countries: ['FR'],
      image: null as Image | null,
    };
    const reading = async (prefill: Partial<typeof found> = {}) => {
      const read: string[] = [];
      const readPage = async (website: string) => {
        read.push(website);
        return { ...found, website, ...prefill };
      };
      const reader = await demoSite({}, { readPage });
      return { read, reader, visitor: await reader.signedIn('ada_write') };
    };
    const useIt = { product_page: 'shop.example/serum', use_page: '1' };

    test.each(['while the form arrives', 'while the page is read', 'while it cannot be read'])(
      'do nothing more after all tokens were revoked %s',
      async (when) => {
        const reads: string[] = [];
        const readPage = async (website: string) => {
          reads.push(website);
          await revoke();
          if (when === 'while it cannot be read') throw new RuleError('invalid', 'It does not answer.');
          return { ...found, website, image: { type: 'image/gif', bytes: gif } };
        };
        const reader = await demoSite({}, { readPage });
        const visitor = await reader.signedIn('ada_write');
        const revoke = async () => {
          const tokens = await (await reader.json('ada_read', '/me/access_tokens.json')).json();
          for (const { id } of tokens) await reader.store.transact((writer) => writer.delete('access_tokens', id));
        };
        const fields = new URLSearchParams({ ...(await visitor.get(`${collabs}/new`)).form(collabs), ...useIt });
        const pull = async (controller: ReadableStreamDefaultController) => {
          if (when === 'while the form arrives') await revoke();
          controller.enqueue(new TextEncoder().encode(String(fields)));
          controller.close();
        };
        const body = new ReadableStream({ pull }, { highWaterMark: 0 });
        const headers = { origin, 'content-type': 'application/x-www-form-urlencoded' };
        const page = await visitor.fetch(collabs, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
        expect([page.status, page.find('h1')]).toEqual([401, 'Sign in']);
        expect(reads).toHaveLength(when === 'while the form arrives' ? 0 : 1);
        const kept = { offset: 0, limit: 1 };
        expect(await reader.store.read((rows) => rows.page('kept_images', 'byExpiry', [], kept))).toEqual([]);
      },
    );

    test('show what the page has before anything is created, and create that', async () => {
      const { read, reader, visitor } = await reading();
      const empty = await visitor.get(`${collabs}/new`);
      const hint = empty.find('#field-product_page-hint');
      // The fields that it fills, by their labels.
      for (const label of ['Website', 'Name', 'Brief', 'Countries'])
        expect([empty.all('label, legend'), hint]).toEqual([
          expect.arrayContaining([label]),
          expect.stringContaining(label),
        ]);
      const form = empty.form(collabs);
      const draft = await visitor.post(`${collabs}/new`, { ...form, ...useIt });
      expect([draft.status, draft.find('[role=status] p')]).toEqual([
        200,
        'Taken from the page: name, brief and countries. Nothing was created yet. Check the fields first.',
      ]);
      expect(draft.form(collabs)).toMatchObject({
        'collab[name]': 'Serum',
        'collab[website]': 'https://shop.example/serum',
        'collab[brief]': '<p>Glow</p>',
        'collab[countries]': 'FR',
        product_page: 'shop.example/serum',
      });
      expect((await reader.json('ada_write', `${collabs}.json`)).headers.get('total-count')).toBe('23');
      const created = await visitor.post(collabs, { ...draft.form(collabs), 'collab[currency]': 'eur' });
      expect(await (await reader.json('ada_write', `${created.location}.json`)).json()).toMatchObject({
        name: 'Serum',
        website: 'https://shop.example/serum',
        brief: '<p>Glow</p>',
        countries: ['FR'],
        currency: 'eur',
      });
      expect(read).toEqual(['https://shop.example/serum']);
    });

    test('keep what was typed, and take the rest from another page', async () => {
      const { visitor } = await reading();
      const typed = { 'collab[name]': 'Mine', 'collab[brief]': 'Typed for an hour', 'collab[countries]': '' };
      const form = (await visitor.get(`${collabs}/new`)).form(collabs);
      const draft = await visitor.post(`${collabs}/new`, { ...form, ...useIt, ...typed });
      expect(draft.form(collabs)).toMatchObject({ ...typed, 'collab[website]': 'https://shop.example/serum' });
      const other = await visitor.post(`${collabs}/new`, {
        ...draft.form(collabs),
        ...useIt,
        product_page: 'b.example',
      });
      expect(other.form(collabs)).toMatchObject({ ...typed, 'collab[website]': 'https://b.example' });
    });

    test('are not created while the page was not read, as after the Enter key', async () => {
      const prefill = { image: { type: 'image/png', bytes: png } as Image | null };
      const { read, reader, visitor } = await reading(prefill);
      const form = (await visitor.get(`${collabs}/new`)).form(collabs);
      const draft = await visitor.post(collabs, { ...form, product_page: 'https://shop.example/serum' });
      expect([draft.status, draft.find('[role=status] p')]).toEqual([200, expect.stringContaining('and image')]);
      expect(draft.attribute('[role=status] img', 'src')).toMatch(/^data:image\/png;base64,/);
      expect((await reader.json('ada_write', `${collabs}.json`)).headers.get('total-count')).toBe('23');
      const banner = async (path: string | null) =>
        (await (await reader.json('ada_write', `${path}.json`)).json()).banner_image_url;
      // What the page has later was not shown.
      prefill.image = null;
      const created = await visitor.post(collabs, draft.form(collabs));
      expect(await banner(created.location)).toMatch(/\/images\//);
      expect(read).toHaveLength(1);

      // After F5, and until it is removed.
      const { form_id, uploaded_file = '' } = draft.form(collabs);
      const again = await visitor.get(`${collabs}/new?form=${form_id}&uploaded_file=${uploaded_file}`);
      expect(again.find('#field-purge_banner_image-hint')).toBe('The image of the page will be used.');
      expect(again.form(collabs)).toMatchObject({ uploaded_file });
      const without = await visitor.post(collabs, { ...draft.form(collabs), 'collab[purge_banner_image]': '1' });
      expect(await banner(without.location)).toBeNull();

      // It was not chosen as a file.
      const lost = draft.form(collabs);
      await reader.store.transact((writer) => writer.delete('kept_images', lost.uploaded_file ?? ''));
      const poorer = await visitor.post(collabs, { ...lost, 'collab[name]': 'Without' });
      expect([await banner(poorer.location), (await visitor.follow(poorer)).find('.flash p')]).toEqual([
        null,
        'Collab created. The image of the page is gone, so this collab has none.',
      ]);
    });

    test('take nothing from the page before', async () => {
      const prefill: Partial<typeof found> = { image: { type: 'image/png', bytes: png } };
      const { visitor } = await reading(prefill);
      const form = (await visitor.get(`${collabs}/new`)).form(collabs);
      let first = await visitor.post(`${collabs}/new`, { ...form, ...useIt });
      const purge = 'collab[purge_banner_image]';
      first = await visitor.post(`${collabs}/new`, { ...first.form(collabs), ...useIt, [purge]: '1' });
      expect(first.form(collabs)).toHaveProperty('uploaded_file');
      expect(first.form(collabs)).not.toHaveProperty(purge);
      Object.assign(prefill, { name: 'Other', brief: null, countries: null, image: null });
      const other = { ...first.form(collabs), ...useIt, product_page: 'b.example' };
      const second = await visitor.post(`${collabs}/new`, other);
      expect(second.find('[role=status] p')).toMatch(/^Taken from the page: name\./);
      const fields = ['collab[brief]', 'collab[countries]'];
      expect(fields.map((name) => second.form(collabs)[name])).toEqual(fields.map((name) => form[name]));
      expect(second.form(collabs)).not.toHaveProperty('uploaded_file');
    });

    test.each([
      ['acme shop', /^"acme shop" is not a web address/],
      ['ftp://acme.example', /is not a web address/],
      ['', /^Type the web address/],
      ['acme.example', /^This page cannot be read, because this server does not read pages/],
    ])('say at the field why %j cannot be used, and keep what was typed', async (product_page, message) => {
      const form = (await ada.get(`${collabs}/new`)).form(collabs);
      const page = await ada.post(`${collabs}/new`, { ...form, ...useIt, product_page, 'collab[name]': 'Mine' });
      expect([page.status, page.find('#field-product_page-error')]).toEqual([422, expect.stringMatching(message)]);
      expect(page.form(collabs)).toMatchObject({ 'collab[name]': 'Mine', product_page });
    });
  });

  test('lose their banner with a checkbox', async () => {
    await ada.submit(`${collabs}/3/edit`, `${collabs}/3`, { 'collab[purge_banner_image]': '1' });
    expect(await json(`${collabs}/3`)).toMatchObject({ banner_image_url: null });
    expect((await ada.get(`${collabs}/3/edit`)).find('#field-purge_banner_image')).toBeNull();
  });
});
