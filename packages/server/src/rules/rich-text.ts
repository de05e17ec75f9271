import xss, { FilterXSS, type SafeAttrValueHandler } from 'xss';

// Node finds only some of this CommonJS library's exports by name.
const { safeAttrValue } = xss as unknown as { readonly safeAttrValue: SafeAttrValueHandler };

/** Elements that lose their text too. */
const dropped = ['script', 'style', 'iframe', 'object', 'svg', 'math', 'template', 'noscript'];

/** Elements that may have no attributes. */
const plain =
  'b blockquote br code div em h1 h2 h3 h4 hr i li ol p pre s span strong sub sup table tbody td th thead tr u ul';

/** Formatting that a brief may have, with its attributes. Everything else loses its tags (D44). */
const allowed: Readonly<Record<string, string[]>> = {
  ...Object.fromEntries(plain.split(' ').map((name) => [name, []])),
  a: ['href', 'title'],
  img: ['src', 'alt', 'title', 'width', 'height'],
};

const attribute = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>][^\s>]*)))?/g;

/** No attribute that is allowed holds styles. */
const noStyles = { process: (value: string) => value };

const filter = new FilterXSS({
  whiteList: allowed,
  /** The library's own loop over the attributes of a tag is quadratic: 64 KiB took it 20 s. */
  onTag(tag, html, { isWhite, isClosing }) {
    if (!isWhite || isClosing) return undefined;
    let start = `<${tag}`;
    for (const [, written = '', ...values] of html.slice(start.length).matchAll(attribute)) {
      const name = written.toLowerCase();
      if (!allowed[tag]?.includes(name)) continue;
      const value = safeAttrValue(tag, name, values.find((given) => given !== undefined) ?? '', noStyles);
      start += value === '' ? ` ${name}` : ` ${name}="${value}"`;
    }
    return `${start}${html.endsWith('/>') ? ' /' : ''}>`;
  },
  stripIgnoreTag: true,
  stripIgnoreTagBody: dropped,
  allowCommentTag: false,
  css: false,
});

/** A `<` that begins no tag: text to a browser (`1 < 2`), but to the filter a tag up to the next `>`. */
const textualBracket = /<(?![a-z/!?])/gi;

/**
 * Added around the text. The filter writes `[removed]` where an element to drop begins and removes it at its end: an
 * element that is never closed, or that begins at position 0 and contains another, would leave the word in the text.
 */
const before = ' ';
const after = dropped.map((name) => `</${name}>`).join('');

const empty: ReadonlySet<string> = new Set(['br', 'hr', 'img']);
const blocks = ['blockquote', 'div', 'h1', 'h2', 'h3', 'h4', 'hr', 'ol', 'p', 'pre', 'table', 'ul'];
/** Elements whose end tag HTML lets authors leave out, by what begins after them. */
const endedBy: Readonly<Record<string, readonly string[]>> = {
  p: blocks,
  li: ['li'],
  td: ['td', 'th', 'tr', 'tbody', 'thead'],
  th: ['td', 'th', 'tr', 'tbody', 'thead'],
  tr: ['tr', 'tbody', 'thead'],
  thead: ['tbody'],
  tbody: ['tbody', 'thead'],
};

/** Closes what is open and drops what closes nothing, so that a brief cannot leave the element that it is shown in. */
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

/** A brief made safe to show: no scripts, no event handlers, no `javascript:` links. Sanitising twice changes nothing. */
export const richText = (html: string): string =>
  balanced(filter.process(before + html.replace(textualBracket, '&lt;') + after).slice(before.length));
