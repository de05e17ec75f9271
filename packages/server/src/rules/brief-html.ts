import MarkdownIt from 'markdown-it';
import { anyTag } from './left-out.js';
import { allowed, withoutClutter } from './rich-text.js';

export { leftOut } from './left-out.js';

/** How a brief may be written. */
export type BriefFormat = 'html' | 'markdown' | 'text';

/** The format that the ending of a file names. */
export const briefFormatOfFile = (path: string): BriefFormat | undefined =>
  /\.html?$/i.test(path) ? 'html' : /\.(?:md|markdown)$/i.test(path) ? 'markdown' : undefined;

const blockTags =
  'address|article|aside|blockquote|body|center|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|head|' +
  'header|hr|html|li|main|meta|nav|ol|p|pre|section|style|table|ul';

/** The first comment of a page, and the `<b>` that starts what Google Docs copies, come before a block. */
const htmlStart = new RegExp(
  `^\\s*(?:<!--[^]*?-->\\s*)?(?:<!(?:doctype|DOCTYPE)\\b|<b style="font-weight:|<(?:${blockTags})(?:\\s[^<>]*|/)?>)`,
);

/** Whether a brief is HTML: whether it begins with a block element or a doctype. Otherwise it is text with Markdown. */
export const isHtml = (text: string): boolean => htmlStart.test(text);

const empty: ReadonlySet<string> = new Set(['br', 'hr', 'img']);
const tagOrComment = new RegExp(`<!--[\\s\\S]{0,5000}?-->|${anyTag.source}`, 'gi');

const escaped = (text: string): string => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Leaves the tags that a brief may have in pairs. The others are text, such as `<link>` or `<your name>`. */
const readable =
  (ends: ReadonlySet<string>, starts: ReadonlySet<string>) =>
  (content: string): string =>
    content.replace(tagOrComment, (written, name?: string) => {
      if (written.startsWith('<!--')) return '';
      const tag = name?.toLowerCase() ?? '';
      const isPaired = empty.has(tag) || (written.startsWith('</') ? starts : ends).has(tag);
      return (tag === 'aside' || Object.hasOwn(allowed, tag)) && isPaired ? written : escaped(written);
    });

/** The function of the brief that is being converted. */
const readableIn = (env: unknown) => (env as { readonly readable: (content: string) => string }).readable;

const markdown = new MarkdownIt({ html: true, linkify: true });
// Only what is written as a URL: "our.shop" and "me@acme.example" may be names.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false }).add('//', null);
markdown.renderer.rules.html_inline = markdown.renderer.rules.html_block = (tokens, index, _options, env) =>
  readableIn(env)(tokens[index]?.content ?? '');

// A line that begins with a tag which is text is a paragraph, a heading or what else it would be without the tag.
markdown.block.ruler.before(
  'html_block',
  'textual_tag',
  (state, line) => {
    const [tag = ''] = /^<[^<>]*>/.exec(state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0))) ?? [];
    state.md.options.html = tag === '' || readableIn(state.env)(tag) !== escaped(tag);
    return false;
  },
  { alt: ['paragraph', 'reference', 'blockquote'] },
);
markdown.core.ruler.before('inline', 'inline_tags', ({ md }) => {
  md.options.html = true;
});

const namesOf = (text: string, tag: RegExp): ReadonlySet<string> =>
  new Set([...text.matchAll(tag)].map(([, name = '']) => name.toLowerCase()));

/** Conversion cannot be interrupted, and takes about 5 microseconds for each of these, for a URL ten times as much. */
const marks = /[[\]*_~`<>&\\:|#/\n-]/g;
const maxMarks = 4000;

/** Whether a brief has more Markdown than can be converted without delaying the requests of others. */
export const hasTooMuchMarkdown = (text: string): boolean =>
  !isHtml(text) && (text.match(marks) ?? []).length + 10 * text.split('://').length > maxMarks;

/** Bullets that Word and phones write, which Markdown does not know: their lines would become one paragraph. */
const bullet = /^([ \t]*)[•·▪◦‣●○∙][ \t\u00a0]+/gm;

function fromMarkdown(given: string): string {
  const text = given.replaceAll(bullet, '$1- ');
  const ends = namesOf(text, /<\/([a-z][a-z0-9]*)\s*>/gi);
  const starts = namesOf(text, /<([a-z][a-z0-9]*)[\s>]/gi);
  return markdown.render(text, { readable: readable(ends, starts) }).trim();
}

/** Plain text keeps its lines. */
const fromText = (text: string): string =>
  text
    .trim()
    .split(/(?:[^\S\n]*\n){2,}/)
    .map((paragraph) => `<p>${escaped(paragraph.replaceAll('&', '&amp;')).replaceAll('\n', '<br>\n')}</p>`)
    .join('\n');

/** Word and mails hide text like this. White text may have a dark background. */
const hides =
  /\sstyle\s*=\s*(?:"[^"]{0,1000}?|'[^']{0,1000}?|[^\s"'>]{0,1000}?)(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all)/i;

/** HTML without the elements that are not shown. One without an end stays. */
function withoutHidden(html: string): string {
  let [kept, hidden, from, depth] = ['', '', 0, 0];
  for (const { 0: tag, 1: name = '', index } of html.matchAll(anyTag)) {
    const isEnd = tag.startsWith('</');
    if (depth > 0 ? name.toLowerCase() !== hidden : isEnd || !hides.test(tag)) continue;
    if (depth === 0) {
      kept += html.slice(from, index);
      [hidden, from] = [name.toLowerCase(), index];
    }
    depth = empty.has(hidden) ? 0 : depth + (isEnd ? -1 : 1);
    if (depth === 0) from = index + tag.length;
  }
  return kept + html.slice(from);
}

/** The lines with properties that static site generators and editors put above a text. */
const frontMatter = /^---[ \t]*\n(?=[\w-]+[ \t]*:)[\s\S]*?\n(?:---|\.\.\.)[ \t]*\n(?=\s*\S)/;

/** Longer Markdown would take seconds to convert, and is rejected for its length. */
const maxMarkdown = 65_536;

/**
 * A brief as HTML, which the service sanitizes when it stores it. The format that is given decides; otherwise HTML begins
 * with a block element or a doctype, and other text is Markdown. `unused` is a part that is left out.
 */
export function briefHtml(given: string, format: BriefFormat = isHtml(given) ? 'html' : 'markdown') {
  if (format === 'html') {
    const whole = withoutClutter(given);
    const html = withoutHidden(whole);
    return { html, unused: html === whole ? undefined : 'hidden text of the brief' };
  }
  const lines = given.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');
  if (lines.trim() === '') return { html: given, unused: undefined };
  if (format === 'text') return { html: fromText(lines), unused: undefined };
  const text = lines.replace(frontMatter, '');
  const unused = text === lines ? undefined : 'front matter of the brief (the lines between ---)';
  return { html: text.length > maxMarkdown ? text : fromMarkdown(text), unused };
}
