import type { Invocation, Run } from '../commands/command.js';
import type { Context } from '../context.js';
import { usageError } from '../errors/cli-error.js';
import { explained } from '../errors/explain.js';
import { readNamedFile, readStdin } from '../fields/read-input.js';
import { jsonText } from '../output/json.js';
import type { Row } from '../output/row.js';
import { sanitize } from '../output/sanitize.js';
import { bodyFrom, type Pair, pairFrom, queryFrom } from './api-fields.js';

/** The path below the base address; a whole URL only of the same service, since the token goes with it. */
function pathFrom(text: string, baseUrl: string): string {
  if (!/^[a-z]+:\/\//i.test(text)) return text.startsWith('/') ? text : `/${text}`;
  if (!URL.canParse(text)) throw usageError(`"${text}" is not an address.`);
  const { origin, pathname, search } = new URL(text);
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/$/, '');
  if (origin !== base.origin || !pathname.startsWith(prefix)) {
    throw usageError(
      `${origin} is not the service that you are signed in to (${baseUrl}).`,
      'Give a path, such as /organizations.json',
    );
  }
  return `${pathname.slice(prefix.length)}${search}`;
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

async function callFrom({ args: [path = ''], flags }: Invocation, context: Context): Promise<Call> {
  const pairs: Pair[] = ((flags.field as string[] | undefined) ?? []).map(pairFrom);
  const input = flags.input as string | undefined;
  if (input !== undefined && pairs.length > 0)
    throw usageError('--input and -f contradict each other: give one of them.');
  const method = String(flags.method ?? (input !== undefined || pairs.length > 0 ? 'POST' : 'GET')).toUpperCase();
  const address = pathFrom(path, context.settings.requiredBaseUrl);
  if (method === 'GET' || method === 'HEAD') {
    if (input !== undefined) throw usageError(`A ${method} has no body.`, 'Use -X POST or -X PATCH with --input');
    return { method, path: queryFrom(address, pairs), body: undefined };
  }
  if (pairs.length > 0) return { method, path: address, body: bodyFrom(pairs) };
  if (input === undefined) return { method, path: address, body: undefined };
  const text =
    input === '-' ? await readStdin(context.io, '--input -') : readNamedFile(input, '--input').toString('utf8');
  try {
    return { method, path: address, body: JSON.parse(text) as unknown };
  } catch {
    throw usageError(`--input ${input} is not JSON.`);
  }
}

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

/** JSON as it came unless another format or some fields are asked for. */
async function print(context: Context, value: unknown): Promise<void> {
  const { options } = context;
  if (options.format === undefined && options.fields === undefined && options.jq === undefined) {
    await context.print.write(jsonText(value));
    return;
  }
  const rows = Array.isArray(value) ? value.filter(isRow) : [];
  const sample = Array.isArray(value) ? rows[0] : value;
  const names = isRow(sample) ? Object.keys(sample) : [];
  const view = {
    fields: names,
    columns: names.map((field) => ({
      field,
      header: field.toUpperCase(),
      priority: field === 'id' ? 0 : 1,
      whole: field === 'id',
    })),
  };
  if (Array.isArray(value)) await context.print.rows([rows], view);
  else if (isRow(value)) await context.print.row(value, view);
  else await context.print.write(jsonText(value));
}

const head = (response: Response): string =>
  [
    `HTTP ${response.status} ${response.statusText}`.trim(),
    ...[...response.headers].map(([name, value]) => `${name}: ${sanitize(value)}`),
    '',
    '',
  ].join('\n');

/** All pages of a list, one after the other, until one is the last by its own account or holds nothing. */
async function paginate(context: Context, path: string): Promise<unknown[]> {
  const client = await context.client();
  const items: unknown[] = [];
  await context.withProgress('Reading', async (progress) => {
    for (let number = 1; ; number += 1) {
      const address = queryFrom(path, number === 1 ? [] : [{ keys: ['page'], value: number }]);
      const { data, response } = await client
        .request('GET', address, { signal: context.io.interrupted })
        .withResponse();
      if (!Array.isArray(data))
        throw usageError('--paginate is for lists, and this is not one.', 'Leave --paginate out');
      items.push(...data);
      const pages = Number(response.headers.get('total-pages') ?? Number.NaN);
      progress.update(items.length);
      if (data.length === 0 || !(number < pages)) return;
    }
  });
  return items;
}

export const api: Run = async (context, invocation) => {
  const call = await callFrom(invocation, context);
  const { flags } = invocation;
  const client = await context.client();
  await explained(context, { verb: call.method.toLowerCase(), id: call.path }, async () => {
    if (flags.paginate === true) {
      if (call.method !== 'GET') throw usageError('--paginate is for GET.');
      if (flags.include === true)
        throw usageError('--paginate and -i contradict each other: there are several answers.');
      await print(context, await paginate(context, call.path));
      return;
    }
    const { data, response } = await client
      .request(call.method as 'GET', call.path, {
        signal: context.io.interrupted,
        ...(call.body !== undefined && { body: call.body as never }),
      })
      .withResponse();
    if (flags.include === true) await context.print.write(head(response));
    if (data !== undefined && data !== null && data !== '') await print(context, data);
    else if (flags.include !== true) {
      const location = response.headers.get('location');
      context.note(
        `${response.status} ${response.statusText}${location === null ? '' : `, to ${sanitize(location)}`}`.trim(),
      );
    }
  });
};
