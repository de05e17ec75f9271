import { describe, expect, it } from 'vitest';
import { briefHtml, isHtml } from '../src/rules/brief-html.js';
import { richText } from '../src/rules/rich-text.js';

describe('a brief', () => {
  it.each([
    ['one line', 'Show your routine.', '<p>Show your routine.</p>'],
    ['paragraphs', 'One.\n\nTwo.', '<p>One.</p>\n<p>Two.</p>'],
    ['lines of Windows', 'One.\r\n\r\nTwo,\r\nthree.', '<p>One.</p>\n<p>Two,<br>\nthree.</p>'],
    ['single line breaks', 'Dear creators,\nhello.', '<p>Dear creators,<br>\nhello.</p>'],
    ['a list', 'You need:\n- a phone\n- light', '<p>You need:</p>\n<ul>\n<li>a phone</li>\n<li>light</li>\n</ul>'],
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
  ])('of plain text or Markdown becomes HTML: %s', (_title, text, html) => {
    expect(isHtml(text)).toBe(false);
    expect(briefHtml(text)).toBe(html);
    // What the service would store, and what a second conversion sends.
    expect(richText(html)).toBe(html);
    expect(briefHtml(html)).toBe(html);
  });

  it.each(['<p>One</p>\n\n- two', ' <h2>a</h2>', '<!doctype html>x', '<!-- a --><div>x</div>', '<section>a</section>'])(
    'that begins with a block element or a doctype is HTML: %j',
    (html) => {
      expect(isHtml(html)).toBe(true);
      expect(briefHtml(html)).toBe(html);
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
    ['> <title>\n> x', '<blockquote>\n<p>&lt;title&gt;<br>\nx</p>\n</blockquote>'],
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
    expect(briefHtml(text)).toBe(html);
    expect(richText(html)).toBe(html);
  });

  it.each(['', ' \n '])('stays empty: %j', (text) => expect(briefHtml(text)).toBe(text));

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
  ])('of 64 KiB is converted within a second: %s', (_title, part) => {
    // Time of the processor, which does not depend on what else runs.
    const start = process.cpuUsage();
    briefHtml(part.repeat(65_536 / part.length));
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(1000);
  });
});
