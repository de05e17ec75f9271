import { richText } from '@mkt/server/rich-text';
import { Parser } from 'htmlparser2';

/** Elements around which white space is invisible. */
const BLOCKS = new Set('blockquote br div h1 h2 h3 h4 hr li ol p pre table tbody td th thead tr ul'.split(' '));

interface Token {
  readonly text: string;
  readonly isTag: boolean;
  readonly isBlock?: boolean;
  /** Whether it is text inside `pre`, where every space counts. */
  readonly isPre?: boolean;
}

function tokensOf(html: string): Token[] {
  const tokens: Token[] = [];
  let pre = 0;
  const tag = (name: string, text: string) => tokens.push({ text, isTag: true, isBlock: BLOCKS.has(name) });
  const parser = new Parser({
    onopentag: (name, attributes) => {
      if (name === 'pre') pre += 1;
      const sorted = Object.entries(attributes).sort(([one], [other]) => (one < other ? -1 : 1));
      tag(name, `<${[name, ...sorted.map(([key, value]) => `${key}=${JSON.stringify(value)}`)].join(' ')}>`);
    },
    onclosetag: (name) => {
      if (name === 'pre') pre -= 1;
      tag(name, `</${name}>`);
    },
    ontext: (text) => {
      // The parser splits text at each entity.
      const before = tokens.at(-1)?.isTag === false ? tokens.pop()?.text : '';
      const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
      tokens.push({ text: `${before}${escaped}`, isTag: false, isPre: pre > 0 });
    },
  });
  parser.end(html);
  return tokens;
}

/** Whether a bare `div` contains everything. */
function isWrapped(texts: readonly string[]): boolean {
  let depth = 0;
  const end = texts.findIndex((text) => {
    if (text === '<div>') depth += 1;
    else if (text === '</div>') depth -= 1;
    return depth === 0;
  });
  return texts[0] === '<div>' && end === texts.length - 1;
}

/**
 * A brief in canonical form, which is equal for briefs that look the same: entities as characters, attributes sorted,
 * white space as it is shown, without the `div` that rich text editors add around everything.
 */
function canonicalBrief(html: string): string {
  const tokens = tokensOf(html);
  const isEdge = (index: number): boolean => tokens[index]?.isBlock ?? tokens[index] === undefined;
  let texts = tokens
    .map(({ text, isTag, isPre }, index) => {
      if (isTag || isPre) return text;
      const collapsed = text.replace(/[^\S\u00a0]+/g, ' ');
      const start = isEdge(index - 1) ? collapsed.replace(/^ /, '') : collapsed;
      return isEdge(index + 1) ? start.replace(/ $/, '') : start;
    })
    .filter((text) => text !== '');
  while (isWrapped(texts)) texts = texts.slice(1, -1);
  return texts.join('');
}

type Normalize = (value: unknown) => unknown;

const asSet: Normalize = (value) => (Array.isArray(value) ? JSON.stringify(value.map(String).sort()) : value);

/** The fields that the service may store in another form than it got them. */
const normalizers: Readonly<Record<string, Normalize>> = {
  brief: (value) => (typeof value === 'string' ? canonicalBrief(richText(value)) || null : value),
  website: (value) => (typeof value === 'string' && URL.canParse(value) ? new URL(value).href : value),
  countries: asSet,
  platform_ids: asSet,
};

const asList: Normalize = (value) => (Array.isArray(value) ? JSON.stringify(value) : value);

/** Whether two values of a field mean the same, so that a second run finds no difference. */
export function isSame(field: string, one: unknown, other: unknown): boolean {
  const normalize = normalizers[field] ?? asList;
  return one === other || normalize(one ?? null) === normalize(other ?? null);
}
