import xss, { FilterXSS, type SafeAttrValueHandler } from 'xss';

// Node finds only some of this CommonJS library's exports by name.
const { safeAttrValue } = xss as unknown as { readonly safeAttrValue: SafeAttrValueHandler };

/** Elements that are removed together with their text. */
const dropped = ['script', 'style', 'iframe', 'object', 'svg', 'math', 'template', 'noscript'];

/** Allowed elements without attributes. */
const plain =
  'b blockquote br code div em h1 h2 h3 h4 hr i li p pre s span strong sub sup table tbody td th thead tr u ul';

/** Allowed elements with their attributes. The tags of all others are removed. */
const allowed: Readonly<Record<string, string[]>> = {
  ...Object.fromEntries(plain.split(' ').map((name) => [name, []])),
  a: ['href', 'title'],
  ol: ['start'],
  img: ['src', 'alt', 'title', 'width', 'height'],
};

const attribute = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>][^\s>]*)))?/g;

/** Attributes that are removed if they are empty or not safe. */
const addresses: readonly string[] = ['href', 'src'];

/** None of the allowed attributes contains styles. */
const noStyles = { process: (value: string) => value };

const filter = new FilterXSS({
  whiteList: allowed,
  /** The library's own loop over the attributes of a tag is quadratic: 64 KiB take 20 s. */
  onTag(tag, html, { isWhite, isClosing }) {
    if (!isWhite || isClosing) return undefined;
    let start = `<${tag}`;
    for (const [, written = '', ...values] of html.slice(start.length).matchAll(attribute)) {
      const name = written.toLowerCase();
      if (!allowed[tag]?.includes(name)) continue;
      const value = safeAttrValue(tag, name, values.find((given) => given !== undefined) ?? '', noStyles);
      if (value === '' && addresses.includes(name)) continue;
      start += value === '' ? ` ${name}` : ` ${name}="${value}"`;
    }
    // Without an address, a link is text, and an image is nothing.
    if (tag === 'img' && !start.includes(' src=')) return '';
    return `${start}${html.endsWith('/>') ? ' /' : ''}>`;
  },
  stripIgnoreTag: true,
  stripIgnoreTagBody: dropped,
  allowCommentTag: false,
  css: false,
});

/** A `<` that does not start a tag: text to a browser (`1 < 2`), but a tag up to the next `>` to the filter. */
const textualBracket = /<(?![a-z/!?])/gi;

/**
 * Added around the text. The filter writes `[removed]` at the start of a dropped element and deletes it at the end: an
 * element that is never closed, or that starts at position 0 and contains another, would leave the word in the text.
 */
const before = ' ';
const after = dropped.map((name) => `</${name}>`).join('');

const empty: ReadonlySet<string> = new Set(['br', 'hr', 'img']);
const blocks = ['blockquote', 'div', 'h1', 'h2', 'h3', 'h4', 'hr', 'ol', 'p', 'pre', 'table', 'ul'];
/** Elements whose end tag is optional in HTML, with the elements that end them. */
const endedBy: Readonly<Record<string, readonly string[]>> = {
  p: blocks,
  li: ['li'],
  td: ['td', 'th', 'tr', 'tbody', 'thead'],
  th: ['td', 'th', 'tr', 'tbody', 'thead'],
  tr: ['tr', 'tbody', 'thead'],
  thead: ['tbody'],
  tbody: ['tbody', 'thead'],
};

/** Closes open elements and drops unmatched end tags, so that a brief cannot escape the element that contains it. */
function balanced(html: string): string {
  const open: string[] = [];
  const counts: Record<string, number> = {};
  const close = (): string => {
    const name = open.pop() as string;
    counts[name] = (counts[name] ?? 0) - 1;
    return `</${name}>`;
  };
  let closed = html.replace(/<(\/?)(\w+)[^>]*>/g, (tag, slash: string, name: string) => {
    if (empty.has(name)) return slash === '' ? tag : '';
    let before = '';
    if (slash === '') {
      while (endedBy[open.at(-1) ?? '']?.includes(name)) before += close();
      open.push(name);
      counts[name] = (counts[name] ?? 0) + 1;
      return before + tag;
    }
    if (!counts[name]) return '';
    while (open.at(-1) !== name) before += close();
    return before + close();
  });
  while (open.length > 0) closed += close();
  return closed;
}

/** Sanitizes a brief: no scripts, event handlers or `javascript:` links. Sanitizing twice changes nothing. */
export const richText = (html: string): string =>
  balanced(filter.process(before + html.replace(textualBracket, '&lt;') + after).slice(before.length));
