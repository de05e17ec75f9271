import xss, { FilterXSS, type SafeAttrValueHandler } from 'xss';

// Node finds only some of this CommonJS library's exports by name.
const { safeAttrValue } = xss as unknown as { readonly safeAttrValue: SafeAttrValueHandler };

/** Elements that are removed together with their text. Apple Notes puts tables into `<object>`. */
const dropped = ['script', 'style', 'iframe', 'svg', 'math', 'template', 'noscript', 'title'];

/** Allowed elements that have no attributes of their own. */
const plain =
  'b blockquote br code dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i ins p pre q s section span ' +
  'strong sub summary sup table tbody thead tr u ul';

/** Allowed elements with their attributes. The tags of all others are removed. */
export const allowed: Readonly<Record<string, string[]>> = {
  ...Object.fromEntries(plain.split(' ').map((name) => [name, ['dir']])),
  a: ['href', 'title', 'dir'],
  li: ['value', 'dir'],
  ol: ['start', 'dir'],
  td: ['colspan', 'rowspan', 'dir'],
  th: ['colspan', 'rowspan', 'dir'],
  img: ['src', 'alt', 'title', 'width', 'height'],
};

/** The allowed elements with their attributes, for people: `a (href, title)`. */
export const allowedElements: readonly string[] = Object.keys(allowed)
  .sort()
  .map((name) => {
    const attributes = (allowed[name] ?? []).filter((attribute) => attribute !== 'dir');
    return attributes.length === 0 ? name : `${name} (${attributes.join(', ')})`;
  });

/** Elements that become `<div>`, so that their text does not run into the next one's. */
const blockLike: ReadonlySet<string> = new Set(
  'address article aside body center fieldset footer form header hgroup legend main nav'.split(' '),
);

/** What a style of pasted text says, by the element that means the same. Word writes other properties that end like these. */
const styles: Readonly<Record<string, RegExp>> = {
  strong: /(?<![\w-])font-weight\s*:\s*(?:bold|[6-9]00)/i,
  em: /(?<![\w-])font-style\s*:\s*italic/i,
  u: /(?<![\w-])text-decoration(?:-line)?\s*:[^;:]*underline/i,
  s: /(?<![\w-])text-decoration(?:-line)?\s*:[^;:]*line-through/i,
};
/** Google Docs wraps all it copies in `<b style="font-weight:normal">`. */
const notBold = /(?<![\w-])font-weight\s*:\s*(?:normal|[1-4]00)/i;

/** The end tags of the `<b>` and `<span>` that are open. */
let inlineEnds: string[] = [];

/** The start of a `<b>` or `<span>` as the elements that its style means. */
function inlineStart(tag: string, html: string): string | undefined {
  if (html === `<${tag}>`) {
    inlineEnds.push(`</${tag}>`);
    return undefined;
  }
  const style = [...html.matchAll(attribute)].find(([, name]) => name?.toLowerCase() === 'style');
  const text = style?.slice(2).find((value) => value !== undefined) ?? '';
  const names = Object.keys(styles).filter((name) => styles[name]?.test(text));
  if (names.length === 0 && !(tag === 'b' && notBold.test(text))) names.push(tag);
  inlineEnds.push(
    names
      .map((name) => `</${name}>`)
      .reverse()
      .join(''),
  );
  return names.length === 1 && names[0] === tag ? undefined : names.map((name) => `<${name}>`).join('');
}

const attribute = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>][^\s>]*)))?/g;

/** Attributes that are removed if they are empty or not safe. */
const addresses: readonly string[] = ['href', 'src'];

/** None of the allowed attributes contains styles. */
const noStyles = { process: (value: string) => value };

const filter = new FilterXSS({
  whiteList: allowed,
  /** The library's own loop over the attributes of a tag is quadratic: 64 KiB take 20 s. */
  onTag(tag, html, { isWhite, isClosing }) {
    if (blockLike.has(tag)) return isClosing ? '</div>' : '<div>';
    if (tag === 'b' || tag === 'span') {
      if (isClosing) return inlineEnds.pop() ?? '';
      const replaced = inlineStart(tag, html);
      if (replaced !== undefined) return replaced;
    }
    if (!isWhite || isClosing) return undefined;
    let start = `<${tag}`;
    for (const [, written = '', ...values] of html.slice(start.length).matchAll(attribute)) {
      const name = written.toLowerCase();
      if (!allowed[tag]?.includes(name)) continue;
      const given = values.find((value) => value !== undefined) ?? '';
      const value = safeAttrValue(
        tag,
        name,
        given.replace(/^\s*(?:https?|mailto|tel):/i, (scheme) => scheme.toLowerCase()),
        noStyles,
      );
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
const blocks = 'blockquote details div dl figcaption figure h1 h2 h3 h4 h5 h6 hr ol p pre section table ul'.split(' ');
/** Elements whose end tag is optional in HTML, with the elements that end them. */
const endedBy: Readonly<Record<string, readonly string[]>> = {
  p: blocks,
  li: ['li'],
  dt: ['dt', 'dd'],
  dd: ['dt', 'dd'],
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

/** Where text begins that is not shown, and where it ends: among others, what Word writes in place of bullets. */
const clutter: readonly (readonly [start: RegExp, end: RegExp])[] = [
  [/<!\[if !supportLists\]>/gi, /<!\[endif\]>/gi],
  [/<!--/g, /-->/g],
  ...['style', 'title', 'xml'].map(
    (name) => [new RegExp(`<${name}[\\s>]`, 'gi'), new RegExp(`</${name}\\s*>`, 'gi')] as const,
  ),
];

/** The text without the parts between the two. Linear: after a start without an end it does not look for others. */
function without(text: string, start: RegExp, end: RegExp): string {
  let kept = '';
  let from = 0;
  for (;;) {
    start.lastIndex = from;
    const found = start.exec(text);
    end.lastIndex = found === null ? text.length : start.lastIndex;
    if (found === null || end.exec(text) === null) return kept + text.slice(from);
    kept += text.slice(from, found.index);
    from = end.lastIndex;
  }
}

/** The number of a list that Word writes in place of a bullet: `2.` and `a)`, which other text may refer to. */
const listNumber = /<!\[if !supportLists\]>((?:\s|<[^<>]{0,300}>){0,9}[\w.]{0,9}\w[.)])/gi;

/** HTML without what Word and browsers add to what people copy. It does not count for the limit. */
export const withoutClutter = (html: string): string =>
  clutter.reduce((text, [start, end]) => without(text, start, end), html.replace(listNumber, '$1'));

/** Sanitizes a brief: no scripts, event handlers or `javascript:` links. Sanitizing twice changes nothing. */
export function richText(html: string): string {
  inlineEnds = [];
  const text = withoutClutter(html).replace(textualBracket, '&lt;');
  return balanced(filter.process(before + text + after).slice(before.length));
}
