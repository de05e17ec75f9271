import { FilterXSS } from 'xss';

/** Formatting that a brief may have. Everything else loses its tags; scripts and styles lose their text too (D44). */
const filter = new FilterXSS({
  whiteList: {
    a: ['href', 'title'],
    b: [],
    blockquote: [],
    br: [],
    code: [],
    div: [],
    em: [],
    h1: [],
    h2: [],
    h3: [],
    h4: [],
    hr: [],
    i: [],
    img: ['src', 'alt', 'title', 'width', 'height'],
    li: [],
    ol: [],
    p: [],
    pre: [],
    s: [],
    span: [],
    strong: [],
    sub: [],
    sup: [],
    table: [],
    tbody: [],
    td: [],
    th: [],
    thead: [],
    tr: [],
    u: [],
    ul: [],
  },
  stripIgnoreTag: true,
  stripIgnoreTagBody: ['script', 'style', 'iframe', 'object', 'svg', 'math', 'template', 'noscript'],
  allowCommentTag: false,
  css: false,
});

/** A `<` that begins no tag: text to a browser (`1 < 2`), but to the filter a tag up to the next `>`. */
const textualBracket = /<(?![a-z/!?])/gi;

/** A brief made safe to show: no scripts, no event handlers, no `javascript:` links. Sanitising twice changes nothing. */
export const richText = (html: string): string => filter.process(html.replace(textualBracket, '&lt;'));
