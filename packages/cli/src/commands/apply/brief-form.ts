import { Parser } from 'htmlparser2';

/** Around these, white space is not seen. */
const BLOCKS = new Set('blockquote br div h1 h2 h3 h4 hr li ol p pre table tbody td th thead tr ul'.split(' '));

interface Part {
  readonly text: string;
  readonly tag: boolean;
  /** Of a tag: whether white space beside it is seen. */
  readonly block: boolean;
  /** Of text within `pre`: every space counts. */
  readonly kept: boolean;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function partsOf(html: string): Part[] {
  const parts: Part[] = [];
  let pre = 0;
  const tag = (name: string, text: string) => {
    parts.push({ text, tag: true, block: BLOCKS.has(name), kept: false });
  };
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
      // The parser ends a piece of text at each entity.
      const last = parts.at(-1);
      const piece = { text: escaped(text), tag: false, block: false, kept: pre > 0 };
      if (last === undefined || last.tag) parts.push(piece);
      else parts[parts.length - 1] = { ...piece, text: last.text + piece.text };
    },
  });
  parser.write(html);
  parser.end();
  return parts;
}

const invisibleBeside = (part: Part | undefined): boolean => part === undefined || part.block;

/** Whether the first tag is a bare `div` that ends with the last one. */
function isWrapped(parts: readonly string[]): boolean {
  let depth = 0;
  const end = parts.findIndex((part) => {
    if (part === '<div>') depth += 1;
    else if (part === '</div>') depth -= 1;
    return depth === 0;
  });
  return parts[0] === '<div>' && end === parts.length - 1;
}

/**
 * A brief in the one form in which two that look the same are the same: entities as characters, attributes in order,
 * white space as it is seen, a `div` around everything (which rich text editors add) left out.
 */
export function canonicalBrief(html: string): string {
  const parts = partsOf(html);
  let texts = parts
    .map((part, index) => {
      if (part.tag || part.kept) return part.text;
      const collapsed = part.text.replace(/[^\S\u00a0]+/g, ' ');
      const start = invisibleBeside(parts[index - 1]) ? collapsed.replace(/^ /, '') : collapsed;
      return invisibleBeside(parts[index + 1]) ? start.replace(/ $/, '') : start;
    })
    .filter((text) => text !== '');
  while (isWrapped(texts)) texts = texts.slice(1, -1);
  return texts.join('');
}
