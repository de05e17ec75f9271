import MarkdownIt from 'markdown-it';
import { richText } from './rich-text.js';

/** Elements that a text has if it is HTML. Other words in angle brackets, such as `<your name>`, are text. */
const elements =
  'a|abbr|article|aside|audio|b|big|blockquote|body|br|button|caption|center|code|col|colgroup|dd|del|details|div|dl|dt|' +
  'em|embed|figcaption|figure|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|label|li|link|main|' +
  'mark|math|meta|nav|noscript|object|ol|option|p|pre|q|s|samp|script|section|select|small|source|span|strike|strong|' +
  'style|sub|summary|sup|svg|table|tbody|td|template|textarea|tfoot|th|thead|title|tr|tt|u|ul|var|video';

const tag = new RegExp(`<(?:!--|!doctype\\b|/?(?:${elements})(?:\\s[^<>]*|/)?>)`, 'i');

/** Whether a brief is HTML: whether it has a tag. Otherwise it is plain text or Markdown. */
export const isHtml = (text: string): boolean => tag.test(text);

const markdown = new MarkdownIt({ html: false, breaks: true, linkify: true })
  // In an indented paragraph, a block of code is a surprise.
  .disable('code');
// Only what is written as a URL: "our.shop" and "me@acme.example" may be names.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

/**
 * A brief as HTML. Plain text and Markdown are converted: blank lines separate paragraphs, single line breaks stay, lines
 * with `- ` are a list. HTML and blank text are returned unchanged; the service sanitizes what it stores.
 */
export const briefHtml = (text: string): string =>
  isHtml(text) || text.trim() === '' ? text : richText(markdown.render(text)).trim();
