import { differences, type Endpoint, type Schema } from '@mkt/sdk/contract';
import { isObject } from '../../text/json.js';
import { sanitizeLine } from '../../text/sanitize.js';
import { formatOfBody, jsonIn, type ServiceResponse } from './service-reader.js';

/** How a response differs from the contract. */
interface Difference {
  readonly kind:
    | 'missing field'
    | 'unknown field'
    | 'unknown value'
    | 'wrong type'
    | 'wrong form'
    | 'status'
    | 'content type'
    | 'body'
    | 'paging'
    | 'etag'
    | 'head'
    | 'error body'
    | 'header'
    | 'no answer';
  /** The field, header or request: `user.email`, `countries[]`, `Total-Count`. */
  readonly where: string;
  readonly expected: string;
  readonly got: string;
}

/** One line of the report. */
export interface Finding {
  readonly endpoint: string;
  readonly method: string;
  readonly path: string;
  readonly kind: Difference['kind'] | 'ok' | 'not visible' | 'not checked';
  /** The place of a difference; the reason of `not checked`. */
  readonly where: string | null;
  readonly expected: string | null;
  readonly got: string | null;
  /** How often a difference was met; how many responses were read for `ok`. */
  readonly times: number;
}

/** What was found about one endpoint. Equal differences are counted, not repeated. */
export class Report {
  readonly #found = new Map<string, { readonly difference: Difference; times: number }>();
  #responses = 0;
  #hidden = 0;
  #unchecked: string | undefined;

  constructor(readonly endpoint: Endpoint) {}

  add(kind: Difference['kind'], where: string, expected: string, got: string): void {
    const difference = { kind, where, expected, got };
    const key = JSON.stringify(difference);
    const { times } = this.#found.get(key) ?? { times: 0 };
    this.#found.set(key, { difference, times: times + 1 });
  }

  responded(): void {
    this.#responses += 1;
  }

  /** The token may not see it (403, 404), here or anywhere. */
  notVisible(): void {
    this.#hidden += 1;
  }

  notChecked(reason: string): void {
    this.#unchecked ??= reason;
  }

  get differences(): number {
    return this.#found.size;
  }

  get isEmpty(): boolean {
    return this.#found.size + this.#responses + this.#hidden === 0;
  }

  /** Differences in the order in which they were met. */
  rows(): Finding[] {
    const { operation, method, path } = this.endpoint;
    const row = { endpoint: operation, method, path, where: null, expected: null, got: null };
    const rows: Finding[] = [...this.#found.values()].map(({ difference, times }) => ({
      ...row,
      ...difference,
      times,
    }));
    if (rows.length === 0 && this.#responses > 0) rows.push({ ...row, kind: 'ok', times: this.#responses });
    if (this.#hidden > 0) rows.push({ ...row, kind: 'not visible', times: this.#hidden });
    if (rows.length === 0)
      rows.push({ ...row, kind: 'not checked', where: this.#unchecked ?? 'nothing to read', times: 0 });
    return rows;
  }
}

/** A header as it came, cut: the service may be hostile. */
export const shortened = (text: string | null): string =>
  text === null || text === '' ? 'nothing' : text.slice(0, 40);

export const contentType = ({ headers }: ServiceResponse): string =>
  (headers.get('content-type') ?? '').split(';')[0]?.trim() ?? '';
export const isJson = (response: ServiceResponse): boolean => /^application\/(.+\+)?json$/i.test(contentType(response));

export function checkStatus(report: Report, { status }: ServiceResponse, where: string, expected: number): boolean {
  if (status !== expected) report.add('status', where, String(expected), String(status));
  return status === expected;
}

/** The JSON of a response with status 200. */
function checkBody(report: Report, response: ServiceResponse, where: string): { readonly value: unknown } | undefined {
  report.responded();
  if (!checkStatus(report, response, where, 200)) return undefined;
  if (!isJson(response))
    report.add('content type', 'Content-Type', 'application/json', shortened(contentType(response)));
  const body = jsonIn(response);
  if (!body) report.add('body', '(whole)', 'JSON', formatOfBody(response));
  return body;
}

export function checkPage(report: Report, response: ServiceResponse) {
  const body = checkBody(report, response, 'a page');
  if (!body) return undefined;
  const { value } = body;
  if (!Array.isArray(value)) {
    report.add('wrong type', '(whole)', 'array', value === null ? 'null' : typeof value);
    return undefined;
  }
  for (const item of value) compare(report, item);
  const [count, pages] = ['Total-Count', 'Total-Pages'].map((name) => {
    const text = response.headers.get(name);
    if (/^\d{1,15}$/.test(text ?? '')) return Number(text);
    report.add('paging', name, 'a whole number', shortened(text));
    return undefined;
  });
  return { items: value as readonly unknown[], count, pages };
}

export function checkItem(report: Report, response: ServiceResponse, where: string) {
  const body = checkBody(report, response, where);
  if (body) compare(report, body.value);
  return body;
}

/** An error in JSON is `{"error"}` or `{"errors"}`. */
export function checkErrorBody(report: Report, response: ServiceResponse, where: string): void {
  const value = jsonIn(response)?.value;
  const { error, errors } = isObject(value) ? value : {};
  if (typeof error === 'string' || (typeof errors === 'object' && errors !== null)) return;
  const format = formatOfBody(response);
  report.add('error body', where, '{"error": "..."}', format === 'JSON' ? 'JSON of another shape' : format);
}

/** Where a representation differs from its schema; unknown fields and values count. */
function compare(report: Report, value: unknown): void {
  const { response: schema } = report.endpoint;
  if (schema === null) return;
  for (const { path, expected, received } of differences(schema, value)) {
    const where =
      path.map((key, index) => (typeof key === 'number' ? '[]' : `${index > 0 ? '.' : ''}${key}`)).join('') ||
      '(whole)';
    const type = expected.replaceAll('"', '').replaceAll('|', ' or ');
    if (received === 'undefined') report.add('missing field', where, type, 'nothing');
    else if (received.startsWith('"'))
      report.add('unknown value', where, type, sanitizeLine(String(JSON.parse(received))).slice(0, 40));
    else report.add('wrong type', where, type, received);
  }
  for (const [name, got] of unknownFields(schema, value))
    report.add('unknown field', sanitizeLine(name).slice(0, 60), 'no such field', got);
  for (const [name, held] of Object.entries(isObject(value) ? value : {})) checkForm(report, name, held);
}

/** Fields that the schema does not name, with their types. */
function unknownFields(schema: Schema, value: unknown, prefix = ''): [string, string][] {
  const { shape } = schema as { readonly shape?: Readonly<Record<string, Schema>> };
  if (!shape || !isObject(value)) return [];
  return Object.entries(value).flatMap(([name, held]) => {
    const known = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (known) return unknownFields(known, held, `${prefix}${name}.`);
    return [[`${prefix}${name}`, held === null ? 'null' : Array.isArray(held) ? 'array' : typeof held]];
  });
}

/** What the document says about text in certain fields, beyond its being text. */
const forms: readonly { fields: RegExp; expected: string; test: (text: string) => boolean }[] = [
  {
    fields: /_at$/,
    expected: 'ISO 8601 in UTC',
    test: (text) =>
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]00:?00)$/.test(text) && !Number.isNaN(Date.parse(text)),
  },
  { fields: /^(url|website|.+_url)$/, expected: 'a URL', test: (text) => URL.canParse(text) },
  {
    fields: /^(countries|country_code)$/,
    expected: 'two uppercase letters',
    test: (text) => /^[A-Z]{2}$/.test(text),
  },
  { fields: /^currency$/, expected: 'a lowercase code', test: (text) => /^[a-z]+$/.test(text) },
  {
    fields: /^(engagement_rate|latitude|longitude)$/,
    expected: 'a decimal',
    test: (text) => /^-?\d+(\.\d+)?$/.test(text),
  },
];

function checkForm(report: Report, name: string, value: unknown): void {
  const form = forms.find(({ fields }) => fields.test(name));
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  const wrong = texts.find((text): text is string => typeof text === 'string' && form?.test(text) === false);
  if (form && wrong !== undefined)
    report.add('wrong form', Array.isArray(value) ? `${name}[]` : name, form.expected, maskText(wrong));
}

/** A text with its letters and digits made alike: it shows the form and reveals nothing. */
const maskText = (text: string): string =>
  text
    .slice(0, 40)
    .replaceAll(/\d/g, '9')
    .replaceAll(/\p{L}/gu, 'a')
    .replaceAll(/[^\x20-\x7e]/g, '?');
