import { usageError } from '../errors/cli-error.js';

/** `campaign[name]=Autumn`: where it goes and what it is. */
export interface Pair {
  readonly keys: readonly string[];
  readonly value: unknown;
}

/** Numbers, true, false, null and quoted, bracketed or braced JSON are taken as such; everything else is text. */
function valueFrom(text: string): unknown {
  if (!/^(-?\d|true$|false$|null$|["[{])/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

export function pairFrom(text: string): Pair {
  const split = text.indexOf('=');
  const name = text.slice(0, split);
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
  if (split < 1 || match === null)
    throw usageError(`-f takes KEY=VALUE, not "${text}".`, "-f campaign[name]='Autumn glow'");
  const inner = [...(match[2] ?? '').matchAll(/\[([^[\]]*)\]/g)].map(([, key = '']) => key);
  return { keys: [match[1] ?? '', ...inner], value: valueFrom(text.slice(split + 1)) };
}

type Node = Record<string, unknown>;
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The pairs as one JSON object; `countries[]=US` appends to a list. */
export function bodyFrom(pairs: readonly Pair[]): Node {
  const body: Node = Object.create(null) as Node;
  for (const { keys, value } of pairs) {
    let node = body;
    for (const [index, key] of keys.entries()) {
      const following = keys[index + 1];
      if (following === undefined) node[key] = value;
      else if (following === '') {
        const list = Array.isArray(node[key]) ? (node[key] as unknown[]) : [];
        list.push(value);
        node[key] = list;
        break;
      } else {
        const inner = isNode(node[key]) ? node[key] : (Object.create(null) as Node);
        node[key] = inner;
        node = inner;
      }
    }
  }
  return body;
}

/** The path with the pairs as query parameters. */
export function queryFrom(path: string, pairs: readonly Pair[]): string {
  if (pairs.length === 0) return path;
  const [before = '', query = ''] = path.split('?');
  const parameters = new URLSearchParams(query);
  for (const { keys, value } of pairs) {
    const [first = '', ...inner] = keys;
    parameters.set(
      [first, ...inner.map((key) => `[${key}]`)].join(''),
      typeof value === 'string' ? value : JSON.stringify(value),
    );
  }
  return `${before}?${parameters}`;
}
