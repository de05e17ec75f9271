import MarkdownIt from 'markdown-it';
import { allowed, richText } from './rich-text.js';

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
const tagOrComment = /<!--[\s\S]{0,5000}?-->|<\/?([a-z][\w:-]*)(?:\s(?:"[^"]*"|'[^']*'|[^<>"'])*)?\/?>|[<>]/gi;

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

const markdown = new MarkdownIt({ html: true, breaks: true, linkify: true });
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

/**
 * A brief as HTML. Plain text and Markdown are converted: blank lines separate paragraphs, single line breaks stay, lines
 * with `- ` are a list. HTML and blank text are returned unchanged; the service sanitizes what it stores.
 */
export function briefHtml(text: string): string {
  if (isHtml(text) || text.trim() === '') return text;
  const ends = namesOf(text, /<\/([a-z][a-z0-9]*)\s*>/gi);
  const starts = namesOf(text, /<([a-z][a-z0-9]*)[\s>]/gi);
  return richText(markdown.render(text, { readable: readable(ends, starts) })).trim();
}
