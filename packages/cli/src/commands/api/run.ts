import { HttpError } from '@mkt/sdk';
import { withErrorContext } from '../../api/errors/with-context.js';
import type { Context } from '../../context/context.js';
import { toType, usageError } from '../../errors/cli-error.js';
import { readText, textOrFile } from '../../fields/read-input.js';
import type { Io } from '../../io/io.js';
import { columnOf } from '../../output/view.js';
import { isObject, type JsonObject, jsonText, parseJson, sanitize } from '../../text/values.js';

/** `campaign[name]=Autumn` as keys and value. */
interface Pair {
  readonly keys: readonly string[];
  readonly value: unknown;
}

/**
 * Numbers, true, false, null, and JSON strings, arrays and objects are parsed; everything else is text. So are numbers
 * that JSON would write differently: ids of 19 digits, postal codes, coordinates with trailing zeros.
 */
function valueFrom(text: string): unknown {
  if (!/^(-?\d|true$|false$|null$|["[{])/.test(text)) return text;
  const value = parseJson(text);
  return value === undefined || (typeof value === 'number' && String(value) !== text) ? text : value;
}

/** Parses `-f KEY=VALUE`; `@FILE` and `@-` stand for the text of a file or of stdin. */
async function pairFrom(text: string, io: Io): Promise<Pair> {
  const split = text.indexOf('=');
  const name = text.slice(0, split);
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
  if (split < 1 || match === null)
    throw usageError(`-f takes KEY=VALUE, not "${text}".`, toType("-f campaign[name]='Autumn glow'"));
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
function bodyFrom(pairs: readonly Pair[]): JsonObject {
  const body = Object.create(null) as JsonObject;
  for (const { keys, value } of pairs) {
    const invalid = (why: string) =>
      usageError(`-f ${spelled(keys)} ${why}.`, 'Write the whole body as JSON: --input FILE, or --input - for stdin');
    let node = body;
    for (const [index, key] of keys.entries()) {
      const following = keys[index + 1];
      const existing = node[key];
      if (following === undefined) node[key] = value;
      else if (following === '') {
        if (index + 2 < keys.length) throw invalid('is a list of objects, which -f cannot write');
        if (existing !== undefined && !Array.isArray(existing)) throw invalid('conflicts with an earlier -f');
        node[key] = [...((existing as unknown[] | undefined) ?? []), value];
        break;
      } else {
        if (existing !== undefined && !isObject(existing)) throw invalid('conflicts with an earlier -f');
        const inner = existing ?? (Object.create(null) as JsonObject);
        node[key] = inner;
        node = inner;
      }
    }
  }
  return body;
}

/** The path with the pairs as query parameters; `status[]=draft` is added to existing ones. */
function queryFrom(path: string, pairs: readonly Pair[]): string {
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

/** The path below the base URL. A whole URL must be of the same service, because the token is sent to it. */
function pathFrom(text: string, baseUrl: string): string {
  if (!/^[a-z]+:\/\//i.test(text)) return text.startsWith('/') ? text : `/${text}`;
  if (!URL.canParse(text)) throw usageError(`"${text}" is not a valid URL.`);
  const { origin, pathname, search } = new URL(text);
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/$/, '');
  if (origin !== base.origin || !`${pathname}/`.startsWith(`${prefix}/`)) {
    throw usageError(
      `${origin} is not the service that you are signed in to (${baseUrl}).`,
      'Use a path, such as /organizations.json',
    );
  }
  return `${pathname.slice(prefix.length)}${search}`;
}

function headersFrom(given: readonly string[]): Readonly<Record<string, string>> {
  const headers = new Headers();
  for (const text of given) {
    const [name = '', ...value] = text.split(':');
    try {
      if (value.join(':').trim() === '') throw new TypeError('There is no value.');
      headers.append(name.trim(), value.join(':').trim());
    } catch {
      // Not repeated: it may contain a secret.
      throw usageError("-H takes 'Name: value'.", toType("-H 'Accept-Language: en'"));
    }
  }
  return Object.fromEntries(headers);
}

interface ApiFlags {
  readonly method?: string;
  readonly field?: readonly string[];
  readonly header?: readonly string[];
  readonly input?: string;
  readonly include?: boolean;
  readonly paginate?: boolean;
}

async function callFrom(context: Context, given: string, flags: ApiFlags) {
  const { input } = flags;
  const pairs = await Promise.all((flags.field ?? []).map((field) => pairFrom(field, context.io)));
  if (input !== undefined && pairs.length > 0) throw usageError('--input and -f cannot be used together.');
  const method = (flags.method ?? (input !== undefined || pairs.length > 0 ? 'POST' : 'GET')).toUpperCase();
  const headers = headersFrom(flags.header ?? []);
  const baseUrl = context.settings.requiredBaseUrl;
  const organization = given.includes('{org}') ? encodeURIComponent((await context.organization()).id) : '';
  const path = pathFrom(
    given.replaceAll('{org}', () => organization),
    baseUrl,
  );
  if (method === 'GET' || method === 'HEAD') {
    if (input !== undefined) throw usageError(`A ${method} has no body.`, 'Use -X POST or -X PATCH with --input');
    return { method, path: queryFrom(path, pairs), body: undefined, headers };
  }
  if (input === undefined) return { method, path, body: pairs.length > 0 ? bodyFrom(pairs) : undefined, headers };
  const body = parseJson(await readText(input, '--input', context.io));
  if (body === undefined) throw usageError(`--input ${input} is not JSON.`);
  return { method, path, body, headers };
}

type Call = Awaited<ReturnType<typeof callFrom>>;

/** Prints the JSON unchanged, unless another format or some fields are wanted. */
async function print(context: Context, value: unknown): Promise<void> {
  const { options } = context;
  if (options.format === undefined && options.fields === undefined && options.jq === undefined) {
    await context.print.write(jsonText(value));
    return;
  }
  const rows = Array.isArray(value) ? value.filter(isObject) : [];
  const sample = Array.isArray(value) ? rows[0] : value;
  const names = isObject(sample) ? Object.keys(sample) : [];
  const view = {
    fields: names,
    columns: names.map((field) => ({ ...columnOf(field), ...(field === 'id' ? { whole: true } : { priority: 1 }) })),
  };
  if (Array.isArray(value)) await context.print.rows([rows], view);
  else if (isObject(value)) await context.print.row(value, view);
  else await context.print.write(jsonText(value));
}

/** A body that is not JSON, such as /metrics, without control characters. */
const plain = (text: string): string => `${sanitize(text).replace(/\n$/, '')}\n`;

const head = (status: number, headers: Headers): string =>
  [`HTTP ${status}`, ...[...headers].map(([name, value]) => `${name}: ${sanitize(value)}`), '', ''].join('\n');

/** Reads pages from the one in the path until the last one, an empty one, or one that equals the page before. */
async function paginate(context: Context, { path, headers }: Call): Promise<unknown[]> {
  const client = await context.client();
  const first = Number(new URLSearchParams(path.split('?')[1]).get('page') ?? 1);
  const items: unknown[] = [];
  let previous = '';
  await context.withProgress('Reading', async (progress) => {
    for (let number = first; ; number += 1) {
      const address = number === first ? path : queryFrom(path, [{ keys: ['page'], value: number }]);
      const { data, response } = await client
        .request('GET', address, { signal: context.signal, headers })
        .withResponse();
      if (!Array.isArray(data))
        throw usageError('--paginate works only with lists, and this response is not a list.', 'Remove --paginate');
      // A service without pages returns all rows for every page.
      const page = JSON.stringify(data);
      if (data.length === 0 || page === previous) return;
      previous = page;
      for (const item of data) items.push(item);
      progress.update(items.length);
      if (number >= Number(response.headers.get('total-pages') ?? Number.POSITIVE_INFINITY)) return;
    }
  });
  return items;
}

/** Sends the request. A web action responds with a redirect and no JSON, which is not an error here. */
async function send(context: Context, { method, path, body, headers: given }: Call, include: boolean) {
  const client = await context.client();
  try {
    const { data, response } = await client
      .request(method, path, { signal: context.signal, headers: given, ...(body !== undefined && { body }) })
      .withResponse();
    return { status: response.status, headers: response.headers, data };
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const { status, headers } = error;
    if (status === 303 && method === 'POST') return { status, headers, data: undefined };
    if (include) await context.print.write(`${head(status, headers)}${plain(error.bodyText)}`);
    throw error;
  }
}

export async function api(context: Context, path: string, flags: ApiFlags): Promise<void> {
  const call = await callFrom(context, path, flags);
  const include = flags.include === true;
  await withErrorContext(context, { action: 'send', id: `${call.method} ${call.path}` }, async () => {
    if (flags.paginate === true) {
      if (call.method !== 'GET') throw usageError('--paginate works only with GET.');
      if (include) throw usageError('--paginate and -i cannot be used together.');
      await print(context, await paginate(context, call));
      return;
    }
    const { status, headers, data } = await send(context, call, include);
    if (include) await context.print.write(head(status, headers));
    if (data === undefined || data === null || data === '') {
      const location = headers.get('location');
      if (!include) context.note(`${status}${location === null ? '' : `, to ${sanitize(location)}`}`);
    } else if (typeof data === 'string' && headers.get('content-type')?.includes('json') !== true) {
      await context.print.write(plain(data));
    } else await print(context, data);
  });
}
