import { briefHtml, hasTooMuchMarkdown, isHtml } from '../rules/brief-html.js';
import { richText } from '../rules/rich-text.js';

interface Element {
  readonly name: string;
  /** Its start tag. */
  readonly start: string;
  readonly children: (Element | string)[];
}

const empty: ReadonlySet<string> = new Set(['br', 'hr', 'img']);
const marks: Readonly<Record<string, string>> = { strong: '**', b: '**', em: '*', i: '*', s: '~~' };
const blocks: ReadonlySet<string> = new Set('blockquote h1 h2 h3 h4 h5 h6 hr li ol p pre ul'.split(' '));
/** Deeper and longer briefs stay HTML: to convert 64 KiB takes 60 ms. */
const maxDepth = 12;
const maxLength = 16_384;

/** The elements of sanitized HTML, which is balanced; null if they are too deep. */
function treeOf(html: string): Element | null {
  const open: Element[] = [{ name: '', start: '', children: [] }];
  for (const [token, slash, name] of html.matchAll(/<(\/?)(\w+)[^>]*>|[^<]+/g)) {
    if (slash === '/') open.pop();
    else if (name === undefined) open.at(-1)?.children.push(token);
    else {
      const element = { name, start: token, children: [] };
      open.at(-1)?.children.push(element);
      if (!empty.has(name)) open.push(element);
      if (open.length > maxDepth) return null;
    }
  }
  return open[0] ?? null;
}

const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

const attributeOf = ({ start }: Element, name: string): string =>
  unescaped(new RegExp(` ${name}="([^"]*)"`).exec(start)?.[1] ?? '');

const textOf = ({ children }: Element): string =>
  unescaped(children.map((child) => (typeof child === 'string' ? child : textOf(child))).join(''));

type Children = Element['children'];
type WriteText = (text: string) => string;

/** Text and the elements in it. Those that Markdown has no marks for are written as they are. */
const inline = (children: Children, write: WriteText): string =>
  children
    .map((child) => {
      if (typeof child === 'string') return write(unescaped(child));
      const inner = () => inline(child.children, write);
      const { name } = child;
      const mark = marks[name];
      if (mark !== undefined) return mark + inner() + mark;
      if (name === 'br') return '  \n';
      if (name === 'code') return `\`${textOf(child)}\``;
      if (name === 'img') return `![${attributeOf(child, 'alt')}](${attributeOf(child, 'src')})`;
      const href = attributeOf(child, 'href');
      if (name === 'a') return textOf(child) === href ? href : `[${inner()}](${href})`;
      return empty.has(name) ? child.start : `${child.start}${inner()}</${name}>`;
    })
    .join('')
    .replaceAll('  \n\n', '  \n');

const indented = (text: string, first: string, rest: string): string =>
  text
    .split('\n')
    .map((line, index) => (index === 0 ? first : line === '' ? rest.trimEnd() : rest) + line)
    .join('\n');

function blockText(block: Element, write: WriteText): string {
  const { name, start, children } = block;
  if (name === 'hr') return '---';
  if (name === 'pre') return `\`\`\`\n${textOf(block)}\`\`\``;
  if (name === 'blockquote') return indented(blockTexts(children, write).join('\n\n'), '> ', '> ');
  if (name !== 'ul' && name !== 'ol') {
    const heading = /^h\d$/.test(name) ? `${'#'.repeat(Number(name.charAt(1)))} ` : '';
    return heading + inline(children, write).trim();
  }
  const items = children.filter((child) => typeof child !== 'string');
  const isLoose = items.some((item) => item.children.some((child) => typeof child !== 'string' && child.name === 'p'));
  const gap = isLoose ? '\n\n' : '\n';
  const first = Number(/ start="(\d+)"/.exec(start)?.[1] ?? 1);
  return items
    .map((item, index) => {
      const marker = name === 'ul' ? '- ' : `${first + index}. `;
      return indented(blockTexts(item.children, write).join(gap), marker, ' '.repeat(marker.length));
    })
    .join(gap);
}

/** Each block, and each text between two blocks. */
function blockTexts(children: Children, write: WriteText): string[] {
  const parts: string[] = [];
  let run: Children = [];
  const endRun = () => {
    const text = inline(run, write).trim();
    if (text !== '') parts.push(text);
    run = [];
  };
  for (const child of children) {
    if (typeof child === 'string' || !blocks.has(child.name)) run.push(child);
    else {
      endRun();
      parts.push(blockText(child, write));
    }
  }
  endRun();
  return parts;
}

/** HTML without the line breaks between blocks, and with one name for what looks the same. */
const comparable = (html: string): string =>
  richText(html)
    .trim()
    // Each white space is looked at once: a search from each of its characters would take a second for 16 KiB of it.
    .replace(/(<\/?(?:blockquote|h[1-6]|hr|li|ol|p|pre|ul)\b[^>]*>)\s+/g, '$1')
    .replace(/(?<!\s)\s+(?=<\/?(?:blockquote|h[1-6]|hr|li|ol|p|pre|ul)\b)/g, '')
    .replace(/<(\/?)(?:b|strong)>/g, '<$1strong>')
    .replace(/<(\/?)(?:i|em)>/g, '<$1em>')
    .replaceAll(/<br(?: \/)?>\s*/g, '<br>');

const plainly: WriteText = (text) => text;
const escaped: WriteText = (text) => text.replace(/[\\`*_[\]<>&~|#]|(?<=^\s*)[-+=](?=\s|$)|(?<=^\s*\d+)[.)]/gm, '\\$&');

/**
 * A saved brief as a person types it: Markdown that becomes the same HTML again, or if there is none the HTML. So a form that
 * is sent as it was opened changes nothing.
 */
export function briefText(html: string): string {
  const tree = html.length <= maxLength && isHtml(html) ? treeOf(html) : null;
  if (tree === null) return html;
  for (const write of [plainly, escaped]) {
    const text = blockTexts(tree.children, write).join('\n\n');
    if (isHtml(text) || hasTooMuchMarkdown(text)) continue;
    if (comparable(briefHtml(text).html) === comparable(html)) return text;
  }
  return html;
}

/** What a person typed, or the editor made of it: Markdown, or if there is none the HTML. */
export function typedText(text: string): string {
  const markdown = text.length <= maxLength && isHtml(text) ? briefText(richText(text)) : text;
  return isHtml(markdown) ? text : markdown;
}

/** The HTML that the text of a brief becomes, for the editor; undefined for HTML itself and for what stays text. */
export const editorHtml = (text: string): string | undefined =>
  text.length > maxLength || isHtml(text) || hasTooMuchMarkdown(text) ? undefined : richText(briefHtml(text).html);
