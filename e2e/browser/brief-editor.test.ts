import { demoSeed, demoTokens } from '@mkt/server';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { sampleOf } from '../../packages/server/test/support/long.js';
import { connectToChromium, describeInChromium } from './chromium.js';
import { inaccessible, tooWide } from './looks.js';
import { backAndForward, forgetPages, openSession, serveWebSite, signIn, type WebSite } from './web-site.js';

vi.setConfig({ testTimeout: 90_000 });

const campaigns = '/organizations/5/campaigns';

describeInChromium('the editor of a brief', () => {
  let site: WebSite;
  let browser: Browser;
  let page: Page;
  let problems: readonly string[];

  beforeAll(async () => {
    site = await serveWebSite();
    browser = await connectToChromium();
  }, 60_000);
  beforeEach(async () => {
    await site.store.load(demoSeed());
    ({ page, problems } = await openSession(browser, site, { scripts: true }));
    await signIn(page, 'Ada Okafor');
  });
  afterEach(async () => {
    await page.context().close();
    expect(problems).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  const editor = () => page.getByRole('textbox', { name: 'Brief' });
  const tool = (name: string) => page.getByRole('group', { name: 'Format' }).getByRole('button', { name });
  const heading = () => page.getByRole('heading', { level: 1 });
  const briefOf = async (path: string) => (await (await site.json(demoTokens.ada_write, `${path}.json`)).json()).brief;
  const api = (method: string, path: string, brief: string) =>
    fetch(`${site.url}${path}.json`, {
      method,
      headers: {
        authorization: `Bearer ${demoTokens.ada_write}`,
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body: JSON.stringify({ campaign: { name: 'Edited', brief } }),
    });
  /** A campaign with this brief. */
  const created = async (brief: string) => `${campaigns}/${(await (await api('POST', campaigns, brief)).json()).id}`;
  const save = async () => {
    await page.getByRole('button', { name: /^(Save|Create campaign)$/ }).click();
    await heading().getByText('Edited').waitFor();
    return new URL(page.url()).pathname;
  };

  const paste = (html: string) =>
    editor().evaluate((root, copied) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/html', copied);
      clipboardData.setData('text/plain', 'Show the serum');
      root.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, html);

  test('headings, lists, bold text and links are written with its buttons, and are stored', async () => {
    await page.goto(`${campaigns}/new`);
    await page.getByLabel('Name').fill('Edited');
    await editor().click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Glow');
    await tool('Heading').click();
    await page.keyboard.press('Enter');
    await tool('Bullets').click();
    await tool('Bold').click();
    expect(await tool('Bold').getAttribute('aria-pressed')).toBe('true');
    await page.keyboard.type('Now');
    await tool('Bold').click();
    await page.keyboard.type(', # and *');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.keyboard.type('See the shop');
    await page.keyboard.press('Control+Shift+ArrowLeft');
    await tool('Link').click();
    await page.getByLabel('Address of the link').fill('https://shop.example');
    await page.keyboard.press('Enter');
    const brief = await briefOf(await save());
    expect(brief.replaceAll('\n', '')).toBe(
      '<h2>Glow</h2><ul><li><b>Now</b>, # and *</li></ul><p>See the <a href="https://shop.example">shop</a></p>',
    );
  });

  test('a heading is made of the item of a list, which ends there', async () => {
    const path = await created('<ul><li>One</li><li>Two</li><li>Three</li></ul>');
    await page.goto(`${path}/edit`);
    await editor().getByText('Two').click();
    await tool('Heading').click();
    expect(await tool('Heading').getAttribute('aria-pressed')).toBe('true');
    expect((await briefOf(await save())).replaceAll('\n', '')).toBe(
      '<ul><li>One</li></ul><h2>Two</h2><ul><li>Three</li></ul>',
    );
  });

  test.each(
    sampleOf([
      ['<h2>Do</h2>\n<p>One, <strong>two</strong> &amp; three</p>'],
      ['<div><p>a</p><table><tr><td>b</td></tr></table></div>'],
    ]),
  )('a brief that is opened and saved stays byte for byte as it is: %j', async (brief) => {
    const path = await created(brief);
    const before = await briefOf(path);
    await page.goto(`${path}/edit`);
    await expect.poll(() => editor().textContent()).toMatch(/two|b|Plain/);
    await save();
    expect(await page.getByText('Nothing was changed.').count()).toBe(1);
    await page.goto(`${path}/edit`);
    await page.getByLabel('Name').fill('Edited twice');
    await save();
    expect(await briefOf(path)).toBe(before);
    await page.goto(`${path}/edit`);
    await editor().click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('!');
    await save();
    expect(await briefOf(path)).toMatch(/!/);
  });

  test.each([
    [
      'Google Docs',
      '<html><head><style>p{color:red}</style></head><body><!--StartFragment--><b style="font-weight:normal" id="docs-internal-guid-1">' +
        '<p style="color:red"><span style="font-weight:700">Show</span> the serum</p>' +
        '<ul><li dir="ltr" style="x:y" onclick="alert(1)"><p>daylight</p></li></ul><script>alert(1)</script>' +
        '<p><a href="javascript:alert(1)">no</a></p></b><!--EndFragment--></body></html>',
      '<div><p><b>Show</b> the serum</p><ul><li dir="ltr"><p>daylight</p></li></ul><p><a>no</a></p></div>',
    ],
    [
      'Word',
      '<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><meta name=Generator content="Microsoft Word 15">' +
        '<style><!-- p.MsoNormal {margin:0cm} --></style><!--[if gte mso 9]><xml><o:AllowPNG/></xml><![endif]--></head>' +
        '<body lang=EN-US><!--StartFragment--><h2>Do<o:p></o:p></h2><p class=MsoNormal><b>Show</b> the serum<o:p></o:p></p>' +
        "<p class=MsoListParagraph style='mso-list:l0 level1 lfo1'><![if !supportLists]><span style='mso-list:Ignore'>·<span>&nbsp; " +
        '</span></span><![endif]>daylight<o:p></o:p></p><table class=MsoTableGrid><tr><td style="border:solid 1pt">Fee</td></tr>' +
        '</table><!--EndFragment--></body></html>',
      '<div><h2>Do</h2><p><b>Show</b> the serum</p><p>daylight</p><table><tbody><tr><td>Fee</td></tr></tbody></table></div>',
    ],
    [
      'Notion',
      '<meta charset="utf-8"><!-- notionvc: 0a1b --><h3>Do</h3><p>Show the <strong>serum</strong> and <code>#ad</code></p>' +
        '<ul><li>[ ] daylight</li></ul><aside> 💡 <p style="color:red">Short</p></aside>',
      '<h3>Do</h3><p>Show the <b>serum</b> and <code>#ad</code></p><ul><li>[ ] daylight</li></ul><div><div>💡</div><p>Short</p></div>',
    ],
  ])(
    'what is pasted from %s keeps its structure and loses its styles, scripts and tracking',
    async (_, html, expected) => {
      await page.goto(`${campaigns}/new`);
      await page.getByLabel('Name').fill('Edited');
      await editor().click();
      await page.keyboard.press('Control+A');
      await paste(html);
      await expect.poll(() => editor().textContent()).toContain('daylight');
      expect(await briefOf(await save())).toBe(expected);
    },
  );

  test('as text, it is Markdown; what was edited before is kept', async () => {
    const path = await created('<h2>Do</h2>\n<p>One</p>');
    await page.goto(`${path}/edit`);
    await tool('Edit as text').click();
    expect(await page.getByLabel('Brief').inputValue()).toBe('## Do\n\nOne');
    await page.getByLabel('Brief').fill('## Do\n\n**Two**');
    await save();
    expect(await briefOf(path)).toBe('<h2>Do</h2>\n<p><strong>Two</strong></p>');
    await page.goto(`${path}/edit`);
    await editor().click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('!');
    await page.getByLabel('Name').fill('x'.repeat(300));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.error').first().waitFor();
    await expect.poll(() => editor().textContent()).toContain('Two!');
    await page.getByLabel('Name').fill('Edited');
    await save();
    expect(await briefOf(path)).toContain('Two!');
  });

  test('from text one comes back to the editor, with what was typed as either', { tags: ['long'] }, async () => {
    const path = await created('<h2>Do</h2>\n<p>One</p>');
    await page.goto(`${path}/edit`);
    const back = page.getByRole('button', { name: 'Edit with formatting' });
    const area = page.locator('textarea[data-editor]');
    expect(await back.count()).toBe(0);
    await tool('Edit as text').click();
    await back.click();
    await expect.poll(() => editor().textContent()).toBe('DoOne');
    await editor().press('Control+End');
    await page.keyboard.type('!');
    await tool('Edit as text').click();
    expect(await area.inputValue()).toBe('<h2>Do</h2><p>One!</p>');
    await area.fill('<h2>Do</h2><p>Two</p>');
    await back.click();
    await expect.poll(() => editor().textContent()).toBe('DoTwo');
    await tool('Edit as text').click();
    // The server makes HTML of Markdown.
    await area.fill('# Three\n\n- **four**');
    await page.getByLabel('Website').fill('typed.example');
    await back.click();
    await expect.poll(() => editor().locator('li b, li strong').textContent()).toBe('four');
    expect(await page.getByLabel('Website').inputValue()).toBe('typed.example');
    await save();
    expect(await briefOf(path)).toContain('<h1>Three</h1>');
  });

  test.each([
    ['at the end of a line', 4, '<p>Post</p><ul><li>one</li><li>two</li></ul>'],
    ['in a line', 2, '<p>Po</p><ul><li>one</li><li>two</li></ul><p>st</p>'],
  ])('a list that is pasted %s is a list', async (_, at, expected) => {
    const path = await created('<p>Post</p>');
    await page.goto(`${path}/edit`);
    await editor().click();
    await page.keyboard.press('Control+Home');
    for (let step = 0; step < at; step += 1) await page.keyboard.press('ArrowRight');
    const before = await editor().innerHTML();
    await paste('<ul><li>one</li><li>two</li></ul>');
    await editor().getByText('two').waitFor();
    await page.keyboard.press('Control+z');
    expect(await editor().innerHTML()).toBe(before);
    await page.keyboard.press('Control+y');
    expect((await briefOf(await save())).replaceAll('\n', '')).toBe(expected);
  });

  test('an address that was typed becomes a link when it is left, with https if it has no scheme', async () => {
    for (const [typed, leave, href] of [
      ['https://typed.example', async () => undefined, 'https://typed.example'],
      ['acme.example', async () => page.keyboard.press('Tab'), 'https://acme.example'],
      ['acme.example:8080/a', async () => page.keyboard.press('Enter'), 'https://acme.example:8080/a'],
      ['mailto:ada@acme.example', async () => tool('Link').click(), 'mailto:ada@acme.example'],
    ] as const) {
      const path = await created('<p>See the shop</p>');
      await page.goto(`${path}/edit`);
      await editor().click();
      await page.keyboard.press('Control+A');
      await tool('Link').click();
      await page.getByLabel('Address of the link').fill(typed);
      await leave();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.waitForURL(`**${path}`);
      expect(await briefOf(path)).toBe(`<p><a href="${href}">See the shop</a></p>`);
    }
  });

  test('an address without a selection is written as the text of its link', { tags: ['long'] }, async () => {
    const path = await created('<p>See the shop</p>');
    await page.goto(`${path}/edit`);
    await editor().click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(': ');
    await tool('Link').click();
    await page.getByLabel('Address of the link').fill('acme.example/a');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(`**${path}`);
    expect(await briefOf(path)).toContain('See the shop:&nbsp;<a href="https://acme.example/a">acme.example/a</a>');
  });

  test('an attribute that an extension of the browser sets does not change the brief', async () => {
    const path = await created('<p>One <strong>two</strong></p>');
    const before = await briefOf(path);
    await page.goto(`${path}/edit`);
    await editor().evaluate((root) => {
      root.setAttribute('data-gramm', 'false');
      root.firstElementChild?.setAttribute('spellcheck', 'false');
    });
    await page.getByLabel('Name').fill('Edited by hand');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved: Name.').waitFor();
    expect(await briefOf(path)).toBe(before);
  });

  test.each(
    sampleOf([
      ['B', 'b'],
      ['I', 'i'],
      ['U', 'u'],
    ]),
  )('Ctrl+%s with Caps Lock starts and ends <%s>', async (key, tag) => {
    await page.goto(`${campaigns}/1/edit`);
    await editor().click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('all');
    await page.keyboard.press('Control+A');
    for (const html of [`<${tag}>all</${tag}>`, 'all', `<${tag}>all</${tag}>`, 'all']) {
      await page.keyboard.press(`Control+${key}`);
      await expect.poll(() => editor().locator('p').innerHTML()).toBe(html);
    }
  });

  describe.each(
    sampleOf([
      ['edit', 'of an edit', 'Save'],
      ['new', 'of a new campaign', 'Create campaign'],
    ]),
  )('after going back', (kind, title, submit) => {
    test(`the editor ${title} shows the text of its form`, async () => {
      const edited = await created('<p>Old</p>');
      await page.goto(campaigns);
      await page.goto(kind === 'new' ? `${campaigns}/new` : `${edited}/edit`);
      await editor().click();
      await page.keyboard.press('Control+A');
      await page.keyboard.type('Discarded');
      await page.getByRole('link', { name: 'Cancel' }).click();
      await page.goto(`${campaigns}/4`);
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByRole('button', { name: 'Pause' }).waitFor();
      while (!/\/(edit|new)/.test(page.url())) await page.goBack();
      await page.getByLabel('Name').fill('Edited');
      await page.getByLabel('Website').fill('acme.example');
      const shown = await editor().textContent();
      await page.getByRole('button', { name: submit }).click();
      await heading().getByText('Edited').waitFor();
      const brief = await briefOf(new URL(page.url()).pathname);
      expect([shown, brief]).toEqual(['Discarded', '<p>Discarded</p>']);
    });
  });

  describe.each([
    ['pasted', async () => paste('<p>Pasted</p>')],
    ['made bold', async () => tool('Bold').click()],
  ])('what is %s', (_, act) => {
    const reload = async () => {
      await page.reload();
    };
    test.each(
      sampleOf([
        ['reloading', reload],
        ['Back and Forward', () => backAndForward(page)],
      ]),
    )('is shown and saved after %s', async (_, go) => {
      const path = await created('<p>Old words</p>');
      await forgetPages(page);
      await page.goto(campaigns);
      await page.goto(`${path}/edit`);
      await editor().click();
      await page.keyboard.press('Control+A');
      await act();
      await page.waitForTimeout(500);
      const edited = await editor().innerHTML();
      expect(edited).not.toBe('<p>Old words</p>');
      await go();
      await expect.poll(() => editor().innerHTML()).toBe(edited);
      await page.getByLabel('Website').fill('acme.example');
      await save();
      expect(await briefOf(path)).toBe(edited);
    });
  });

  describe.each(
    sampleOf([
      ['', 'z', 'y'],
      [' with Caps Lock', 'Z', 'Y'],
    ]),
  )('Ctrl+Z%s', (_, undo, redo) => {
    test.each([
      ['a paste', async () => paste('<p>oops</p>')],
      ['a button', async () => tool('Bold').click()],
    ])('takes back %s, also the first one', async (_, act) => {
      const path = await created('<p>A long brief</p><p>with much in it</p>');
      await page.goto(`${path}/edit`);
      await editor().click();
      await page.keyboard.press('Control+A');
      const before = await editor().innerHTML();
      await act();
      const after = await editor().innerHTML();
      expect(after).not.toBe(before);
      await page.keyboard.press(`Control+${undo}`);
      await expect.poll(() => editor().innerHTML()).toBe(before);
      await page.keyboard.press(`Control+${redo}`);
      await expect.poll(() => editor().innerHTML()).toBe(after);
    });
  });

  const needsAddress = 'A link needs an address such as https://acme.example.';
  const needsUrl = 'An image needs an address such as https://acme.example/a.png.';
  test.each([
    [
      '<p><a href="file:///C:/a.docx">a</a> <a href="javascript:b()">b</a> https://c.example</p>',
      `Pasted without 2 links. ${needsAddress}`,
    ],
    ['<p>a<img src="data:image/png;base64,AAAA"></p>', `Pasted without 1 image. ${needsUrl}`],
    [
      '<a href="/tmp">a</a><a href="x:y">b</a><img src="file:///a.png">',
      `Pasted without 1 link, 1 image. ${needsAddress} ${needsUrl}`,
    ],
  ])('what %s loses is named when it is pasted', async (html, message) => {
    await page.goto(`${campaigns}/1/edit`);
    await editor().click();
    await paste(html);
    await page.getByText(message, { exact: true }).waitFor();
    expect(await editor().locator('img').count()).toBe(0);
    await paste('<p><a href="https://acme.example">Ordinary</a></p>');
    await editor().getByText('Ordinary').waitFor();
    expect(await page.getByText('Pasted without').count()).toBe(0);
  });

  test('an image that is pasted itself is named', async () => {
    await page.goto(`${campaigns}/1/edit`);
    await editor().evaluate((root) => {
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File(['a'], 'screenshot.png', { type: 'image/png' }));
      root.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    });
    await page.getByText(`Pasted without 1 image. ${needsUrl}`).waitFor();
  });

  test.each([
    [
      'in the editor',
      async () => paste(`<p>${'日本 '.repeat(40_000)}end</p>`),
      'Nothing was sent: the brief has 120,010 characters, more than the 64 KiB that can be saved.',
    ],
    [
      'as text',
      async () => {
        await tool('Edit as text').click();
        // `fill` would take half a minute.
        await page.getByLabel('Brief').evaluate((area: HTMLTextAreaElement) => {
          area.value = `<img src="data:image/png;base64,${'AAAAAAAAA\n'.repeat(26_000)}">`;
        });
      },
      'Nothing was sent: the brief has 260,034 characters, more than the 64 KiB that can be saved. Most of them may be an image: remove it.',
    ],
  ])('a brief that the server would not show again is not sent, %s', async (_, write, message) => {
    const path = await created('<p>Old</p>');
    await page.goto(`${path}/edit`);
    await editor().click();
    await page.keyboard.press('Control+A');
    await write();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(message, { exact: true }).waitFor();
    expect(page.url()).toBe(`${site.url}${path}/edit`);
  });

  test.each([
    ['at the end', 'End'],
    ['at the start', 'Home'],
  ])('Shift+Enter %s of a line breaks it', async (_, key) => {
    const path = await created('<p>one</p><p>two</p>');
    await page.goto(`${path}/edit`);
    await editor().click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press(key);
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('three');
    const lines = key === 'End' ? 'one<br>three' : '<br>threeone';
    expect(await editor().innerText()).toBe(`${lines.replace('<br>', '\n')}\n\ntwo`);
    await save();
    expect(await briefOf(path)).toBe(`<p>${lines}</p><p>two</p>`);
  });

  test('what cannot be an address stays in its field, and stops the form', async () => {
    const path = await created('<p>See the shop</p>');
    await page.goto(`${path}/edit`);
    await editor().click();
    await page.keyboard.press('Control+A');
    await tool('Link').click();
    const address = page.getByLabel('Address of the link');
    await address.fill('not a url at all');
    await page.getByRole('button', { name: 'Save' }).click();
    expect(await address.evaluate((input: HTMLInputElement) => input.matches(':focus:invalid'))).toBe(true);
    expect([await address.inputValue(), await editor().innerHTML()]).toEqual([
      'not a url at all',
      '<p>See the shop</p>',
    ]);
    await address.fill('acme.example');
    await save();
    expect(await briefOf(path)).toBe('<p><a href="https://acme.example">See the shop</a></p>');
  });

  test('is for the keyboard, has names, and fits each window, light and dark', async () => {
    await page.goto(`${campaigns}/1/edit`);
    await editor().waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await inaccessible(page)).toEqual([]);
    }
    expect(await tooWide(page)).toEqual([]);
    await tool('Edit as text').focus();
    await page.keyboard.press('Tab');
    expect(await editor().evaluate((root) => root === document.activeElement)).toBe(true);
    await page.keyboard.press('Tab');
    expect(await editor().evaluate((root) => root === document.activeElement)).toBe(false);
    await page.emulateMedia({ forcedColors: 'active' });
    await editor().click();
    await page.keyboard.press('Control+A');
    await tool('Italic').click();
    expect(await tool('Italic').evaluate((button) => getComputedStyle(button).outlineStyle)).toBe('solid');
    // What is not an address does not stop the form.
    await tool('Link').click();
    await page.getByLabel('Address of the link').fill('shop');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(/campaigns\/1$/);
  });

  test('needs at most 60 kB, only on pages with a brief', async () => {
    const sizes: number[] = [];
    page.on('response', async (response) => {
      if (/\/editor-/.test(response.url())) sizes.push((await response.request().sizes()).responseBodySize);
    });
    await page.goto(campaigns);
    await page.goto('/me/address/edit');
    expect(sizes).toEqual([]);
    await page.goto(`${campaigns}/1/edit`);
    await expect.poll(() => sizes.length).toBe(1);
    expect(sizes[0]).toBeLessThan(60_000);
    expect(sizes[0]).toBeGreaterThan(10_000);
  });
});
