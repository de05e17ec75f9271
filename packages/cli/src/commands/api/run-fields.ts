import { usageError } from '../../errors/cli-error.js';
import type { Io } from '../../io/io.js';
import { textOrFile } from '../../shared/fields/read-input.js';
import { isObject, type JsonObject } from '../../text/json.js';

/** `campaign[name]=Autumn`: where it goes and what it is. */
export interface Pair {
  readonly keys: readonly string[];
  readonly value: unknown;
}

/**
 * Numbers, true, false, null and quoted, bracketed or braced JSON are taken as such; everything else is text. So is a
 * number that JSON would write otherwise: an id of 19 digits, a postal code, a coordinate that ends with zeros.
 */
function valueFrom(text: string): unknown {
  if (!/^(-?\d|true$|false$|null$|["[{])/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'number' && String(value) !== text ? text : value;
  } catch {
    return text;
  }
}

/** What one `-f KEY=VALUE` means; `@FILE` and `@-` stand for the text of a file or of stdin. */
export async function pairFrom(text: string, io: Io): Promise<Pair> {
  const split = text.indexOf('=');
  const name = text.slice(0, split);
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
  if (split < 1 || match === null)
    throw usageError(`-f takes KEY=VALUE, not "${text}".`, "-f campaign[name]='Autumn glow'");
  const inner = [...(match[2] ?? '').matchAll(/\[([^[\]]*)\]/g)].map(([, key = '']) => key);
  const value = text.slice(split + 1);
  return {
    keys: [match[1] ?? '', ...inner],
    value: value.startsWith('@') ? await textOrFile(value, '-f', io) : valueFrom(value),
  };
}

const spelled = ([first = '', ...inner]: readonly string[]): string =>
  [first, ...inner.map((key) => `[${key}]`)].join('');

/** The pairs as one JSON object; `countries[]=US` appends to a list. */
export function bodyFrom(pairs: readonly Pair[]): JsonObject {
  const body = Object.create(null) as JsonObject;
  for (const { keys, value } of pairs) {
    const unfit = (why: string) =>
      usageError(`-f ${spelled(keys)} ${why}.`, 'Write the whole body as JSON: --input FILE, or --input - for stdin');
    let node = body;
    for (const [index, key] of keys.entries()) {
      const following = keys[index + 1];
      const there = node[key];
      if (following === undefined) node[key] = value;
      else if (following === '') {
        if (index + 2 < keys.length) throw unfit('is a list of objects, which -f cannot write');
        if (there !== undefined && !Array.isArray(there)) throw unfit('contradicts an earlier -f');
        node[key] = [...((there as unknown[] | undefined) ?? []), value];
        break;
      } else {
        if (there !== undefined && !isObject(there)) throw unfit('contradicts an earlier -f');
        const inner = there ?? (Object.create(null) as JsonObject);
        node[key] = inner;
        node = inner;
      }
    }
  }
  return body;
}

/** The path with the pairs as query parameters; `status[]=draft` is one more beside those that are there. */
export function queryFrom(path: string, pairs: readonly Pair[]): string {
  if (pairs.length === 0) return path;
  const [before = '', ...query] = path.split('?');
  const parameters = new URLSearchParams(query.join('?'));
  for (const { keys, value } of pairs) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (keys.at(-1) === '') parameters.append(spelled(keys), text);
    else parameters.set(spelled(keys), text);
  }
  return `${before}?${parameters}`;
}
