import { differences, type Endpoint, type Schema } from '@mkt/sdk/contract';
import { isObject, parseJson } from '../../text/json.js';
import { sanitizeLine } from '../../text/sanitize.js';

/** A response of any status. */
export interface ServiceResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** One row of the report. */
export interface Finding {
  readonly endpoint: string;
  readonly method: string;
  readonly path: string;
  /** The kind of difference, such as `missing field`; or `ok`, `not visible`, `not checked`. */
  readonly kind: string;
  /** The field, header or request: `user.email`, `countries[]`, `Total-Count`; the reason of `not checked`. */
  readonly where: string | null;
  readonly expected: string | null;
  readonly got: string | null;
  /** How often the difference was found; how many responses were read for `ok`. */
  readonly times: number;
}

export const isDifference = ({ kind }: Finding): boolean => !['ok', 'not visible', 'not checked'].includes(kind);

/** The findings about one endpoint. Equal findings are counted, not repeated. */
export class Report {
  readonly #found = new Map<string, Finding>();
  /** Why nothing was read. */
  unread = 'nothing to read';

  constructor(readonly endpoint: Endpoint) {}

  get isEmpty(): boolean {
    return this.#found.size === 0;
  }

  /** In the order in which they were found. */
  get rows(): readonly Finding[] {
    if (this.isEmpty) this.add('not checked', this.unread);
    const rows = [...this.#found.values()];
    return rows.some(isDifference) ? rows.filter(({ kind }) => kind !== 'ok') : rows;
  }

  add(kind: string, where: string | null = null, expected: string | null = null, got: string | null = null): void {
    const { operation, method, path } = this.endpoint;
    const key = JSON.stringify([kind, where, expected, got]);
    const times = (this.#found.get(key)?.times ?? 0) + 1;
    this.#found.set(key, { endpoint: operation, method, path, kind, where, expected, got, times });
  }

  checkStatus({ status }: ServiceResponse, where: string, expected: number): boolean {
    if (status !== expected) this.add('status', where, String(expected), String(status));
    return status === expected;
  }

  /** One page of a list; undefined if it is not one. */
  checkPage(response: ServiceResponse) {
    const items = this.#json(response, 'a page');
    if (items === undefined) return undefined;
    if (!Array.isArray(items)) {
      this.add('wrong type', '(whole)', 'array', typeOf(items));
      return undefined;
    }
    for (const item of items) this.#compare(item);
    const [count, pages] = ['Total-Count', 'Total-Pages'].map((name) => {
      const text = response.headers.get(name);
      if (/^\d{1,15}$/.test(text ?? '')) return Number(text);
      this.add('paging', name, 'a whole number', shortened(text));
      return undefined;
    });
    return { items: items as readonly unknown[], count, pages };
  }

  /** One resource. */
  checkItem(response: ServiceResponse, where: string): unknown {
    const item = this.#json(response, where);
    if (item !== undefined) this.#compare(item);
    return item;
  }

  /** An error in JSON is `{"error"}` or `{"errors"}`. */
  checkErrorBody({ text }: ServiceResponse, where: string): void {
    const value = parseJson(text);
    const { error, errors } = isObject(value) ? value : {};
    if (typeof error === 'string' || (typeof errors === 'object' && errors !== null)) return;
    const got = value === undefined ? formatOf(text) : 'JSON of another structure';
    this.add('error body', where, '{"error": "..."}', got);
  }

  /** The JSON of a response with status 200. */
  #json(response: ServiceResponse, where: string): unknown {
    this.add('ok');
    if (!this.checkStatus(response, where, 200)) return undefined;
    const type = contentType(response);
    if (!isJson(type)) this.add('content type', 'Content-Type', 'application/json', shortened(type));
    const value = parseJson(response.text);
    if (value === undefined) this.add('body', '(whole)', 'JSON', formatOf(response.text));
    return value;
  }

  /** Reports where a representation differs from its schema, including unknown fields and values. */
  #compare(value: unknown): void {
    const { response: schema } = this.endpoint;
    if (schema === null) return;
    for (const { path, expected, received } of differences(schema, value)) {
      const names = path.map((key, index) => (typeof key === 'number' ? '[]' : `${index > 0 ? '.' : ''}${key}`));
      const where = names.join('') || '(whole)';
      const type = expected.replaceAll('"', '').replaceAll('|', ' or ');
      if (received === 'undefined') this.add('missing field', where, type, 'nothing');
      else if (received.startsWith('"')) this.add('unknown value', where, type, shortened(JSON.parse(received)));
      else this.add('wrong type', where, type, received);
    }
    for (const [name, type] of unknownFields(schema, value))
      this.add('unknown field', sanitizeLine(name).slice(0, 60), 'no such field', type);
    for (const [name, content] of Object.entries(isObject(value) ? value : {})) {
      const [, expected = '', isValid] = forms.find(([fields]) => fields.test(name)) ?? [];
      const texts: readonly unknown[] = Array.isArray(content) ? content : [content];
      const wrong = texts.find((text): text is string => typeof text === 'string' && isValid?.(text) === false);
      const where = Array.isArray(content) ? `${name}[]` : name;
      if (wrong !== undefined) this.add('wrong form', where, expected, maskText(wrong));
    }
  }
}

/** A text from the service, cut: it may be hostile. */
export const shortened = (text: string | null): string => sanitizeLine(text ?? '').slice(0, 40) || 'nothing';

export const contentType = ({ headers }: ServiceResponse): string =>
  (headers.get('content-type') ?? '').split(';')[0]?.trim() ?? '';
export const isJson = (type: string): boolean => /^application\/(.+\+)?json$/i.test(type);

const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

/** The format of a body that is not JSON. */
function formatOf(text: string): string {
  if (text.trim() === '') return 'nothing';
  return /^\s*<(!doctype|html|\w+[\s>])/i.test(text) ? 'an HTML page' : 'plain text';
}

/** Fields that the schema does not have, with their types. */
function unknownFields(schema: Schema, value: unknown, prefix = ''): [name: string, type: string][] {
  const { shape } = schema as { readonly shape?: Readonly<Record<string, Schema>> };
  if (!shape || !isObject(value)) return [];
  return Object.entries(value).flatMap(([name, content]) => {
    const known = Object.hasOwn(shape, name) ? shape[name] : undefined;
    return known ? unknownFields(known, content, `${prefix}${name}.`) : [[`${prefix}${name}`, typeOf(content)]];
  });
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]00:?00)$/;
const matches = (pattern: RegExp) => (text: string) => pattern.test(text);

/** The formats that the API document requires of text in certain fields. */
const forms: readonly (readonly [fields: RegExp, expected: string, isValid: (text: string) => boolean])[] = [
  [/_at$/, 'ISO 8601 in UTC', (text) => TIME.test(text) && !Number.isNaN(Date.parse(text))],
  [/^(url|website|.+_url)$/, 'a URL', (text) => URL.canParse(text)],
  [/^(countries|country_code)$/, 'two uppercase letters', matches(/^[A-Z]{2}$/)],
  [/^currency$/, 'a lowercase code', matches(/^[a-z]+$/)],
  [/^(engagement_rate|latitude|longitude)$/, 'a decimal', matches(/^-?\d+(\.\d+)?$/)],
];

/** Shows the form of a text without its content: every letter becomes `a`, every digit 9. */
const maskText = (text: string): string =>
  text
    .slice(0, 40)
    .replaceAll(/\d/g, '9')
    .replaceAll(/\p{L}/gu, 'a')
    .replaceAll(/[^\x20-\x7e]/g, '?');
