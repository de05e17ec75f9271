import {
  ConnectionError,
  HttpError,
  type Marketplace,
  type Middleware,
  ResponseParseError,
  TimeoutError,
} from '@mkt/sdk';
import {
  differences,
  type Endpoint,
  endpoints,
  parametersOf,
  pathsAbove,
  resourceAt,
  resources,
  type Schema,
} from '@mkt/sdk/contract';
import { explain, neverReached } from '../../api/errors/explain.js';
import { clientFor, withoutRedirects } from '../../api/http/client.js';
import { findOrganization } from '../../api/organization.js';
import { resolveToken } from '../../config/credentials.js';
import type { Context } from '../../context/context.js';
import { failure, interrupted, toType } from '../../errors/cli-error.js';
import type { View } from '../../output/view.js';
import { idOf, isObject, parseJson, sanitizeLine, spread } from '../../text/values.js';

const ORGANIZATIONS = 5;
const ITEMS = 3;
/** A service or its load balancer is overloaded or restarts, which says nothing about the contract. */
const UNAVAILABLE = [502, 503, 504];
/** After this many checks in a row without a response, the service counts as unreachable. */
const MAX_UNANSWERED = 3;
/** No resource has this id, whether ids count up from 1 or are opaque. */
const UNUSED_ID = '0';
const ORGANIZATION_LIST = '/organizations.json';

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

const view: View = {
  fields: ['endpoint', 'method', 'path', 'kind', 'where', 'expected', 'got', 'times'],
  columns: [
    { field: 'endpoint', header: 'ENDPOINT', priority: 0, whole: true },
    { field: 'kind', header: 'KIND', priority: 0, whole: true },
    { field: 'where', header: 'WHERE', priority: 0, whole: true },
    { field: 'expected', header: 'EXPECTED', priority: 0 },
    { field: 'got', header: 'GOT', priority: 0 },
    { field: 'times', header: 'TIMES', priority: 1, align: 'right' },
  ],
};

const isDifference = ({ kind }: Finding): boolean => !['ok', 'not visible', 'not checked'].includes(kind);

/** `mkt doctor --drift`: reads what the token can see, compares it with the contract, and reports the differences. */
export async function drift(context: Context): Promise<void> {
  const { io, options, settings, print } = context;
  const baseUrl = settings.requiredBaseUrl;
  const token = await resolveToken(io, settings, baseUrl, (text) => context.warn(text));
  const reports = endpoints.filter(({ method }) => method === 'GET').map((endpoint) => new Report(endpoint));
  let requests = 0;
  let organizations: readonly string[] = [];
  let problem: unknown;
  await context.withProgress('Requests', async (progress) => {
    const eachAttempt: Middleware = (request, next) => {
      requests += 1;
      progress.update(requests);
      return next(withoutRedirects(request));
    };
    try {
      const only = options.org === undefined ? undefined : idOf(await findOrganization(context, options.org, '--org'));
      const client = await clientFor(context, baseUrl, token.value, [eachAttempt]);
      // A limit that lasts is a result too.
      const limited = client.withOptions({ retry: 3 });
      organizations = await new ContractReader(limited, token.value, io.interrupted, reports).run(only);
    } catch (error) {
      problem = await explain(error, { action: 'read', id: 'the API' }, context);
    }
  });
  if (io.interrupted.aborted) throw problem ?? interrupted();
  // What was found before a failure is still shown.
  if (problem !== undefined && reports.every(({ isEmpty }) => isEmpty)) throw problem;
  const rows = reports.flatMap((report) => report.rows);
  await print.rows([rows], view);
  if (problem !== undefined) throw problem;
  const searched = `${organizations.length} organization${organizations.length === 1 ? '' : 's'}`;
  if (print.isHumanReadable) context.note(`${requests} requests, GET only, in ${searched}.`);
  const { length: count } = rows.filter(isDifference);
  const unavailable = reports.find((report) => report.unavailable !== undefined)?.unavailable;
  if (count > 0) {
    throw failure(
      'drift',
      `The service differs from the API document in ${count === 1 ? 'one way' : `${count} ways`}.`,
      toType('mkt doctor --drift --json', 'To send to the operator of the service'),
    );
  }
  if (unavailable !== undefined) {
    const message = `The service was unavailable (${unavailable}) for some requests; what they read is "not checked".`;
    throw failure('service_failed', message, 'Try again later');
  }
}

interface ServiceResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

function formatOf(text: string): string {
  if (text.trim() === '') return 'nothing';
  return /^\s*<(!doctype|html|\w+[\s>])/i.test(text) ? 'an HTML page' : 'plain text';
}

/** A text from the service, cut: it may be hostile. */
const shortened = (text: string | null): string => sanitizeLine(text ?? '').slice(0, 40) || 'nothing';

function unknownFields(schema: Schema, value: unknown, prefix = ''): [name: string, type: string][] {
  const { shape } = schema as { readonly shape?: Readonly<Record<string, Schema>> };
  if (!shape || !isObject(value)) return [];
  return Object.entries(value).flatMap(([name, content]) => {
    const known = Object.hasOwn(shape, name) ? shape[name] : undefined;
    return known ? unknownFields(known, content, `${prefix}${name}.`) : [[`${prefix}${name}`, typeOf(content)]];
  });
}

/** The findings about one endpoint. Equal findings are counted, not repeated. */
class Report {
  readonly #found = new Map<string, Finding>();
  /** Why nothing was read. */
  unread = 'nothing to read';
  /** The status that says that the service is overloaded or restarts. */
  unavailable: number | undefined;

  constructor(readonly endpoint: Endpoint) {}

  get isEmpty(): boolean {
    return this.#found.size === 0;
  }

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

  /** The items of one page of a list, and the number of pages. */
  checkPage(response: ServiceResponse) {
    const items = this.#json(response, 'a page');
    if (items === undefined) return { items: [], pages: 1 };
    for (const name of ['Total-Count', 'Total-Pages']) {
      const text = response.headers.get(name);
      if (!/^\d{1,15}$/.test(text ?? '')) this.add('paging', name, 'a whole number', shortened(text));
    }
    if (!Array.isArray(items)) this.add('wrong type', '(whole)', 'array', typeOf(items));
    const list: readonly unknown[] = Array.isArray(items) ? items : [];
    for (const item of list) this.#compare(item);
    return { items: list, pages: Number(response.headers.get('Total-Pages')) || 1 };
  }

  checkItem(response: ServiceResponse, where: string): void {
    const item = this.#json(response, where);
    if (item !== undefined) this.#compare(item);
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
    const type = (response.headers.get('content-type') ?? '').split(';')[0]?.trim() ?? '';
    if (!/^application\/(.+\+)?json$/i.test(type))
      this.add('content type', 'Content-Type', 'application/json', shortened(type));
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
      const found = path.reduce((inside: unknown, key) => Object(inside)[key], value);
      if (found === undefined) this.add('missing field', where, type, 'nothing');
      else if (typeof found === 'string' && received !== 'string')
        this.add('unknown value', where, type, shortened(found));
      else this.add('wrong type', where, type, received);
    }
    for (const [name, type] of unknownFields(schema, value))
      this.add('unknown field', sanitizeLine(name).slice(0, 60), 'no such field', type);
  }
}

type Ids = Readonly<Record<string, string>>;

const fill = (path: string, ids: Ids): string =>
  path.replaceAll(/:(\w+)/g, (_match, name: string) => encodeURIComponent(ids[name] ?? ''));

/** Reads the GET endpoints of the contract, two pages and a few items of each list. */
class ContractReader {
  /** The ids in each list that was read, by path. */
  readonly #ids = new Map<string, readonly string[]>();
  /** Checks in a row that got no response. */
  #unanswered = 0;

  constructor(
    readonly client: Marketplace,
    readonly token: string,
    readonly signal: AbortSignal,
    readonly reports: readonly Report[],
  ) {}

  /**
   * Reads everything, and returns the ids of the organizations that were read. In the contract, a list precedes the
   * endpoint of its items.
   * @param only id of the only organization to read
   * @throws if the service cannot be reached or rejects the token
   */
  async run(only: string | undefined): Promise<readonly string[]> {
    let organizations: readonly string[] = [];
    for (const report of this.reports) {
      for (const ids of this.#parentsOf(report)) await this.#readEndpoint(report, ids);
      if (report.endpoint.path !== ORGANIZATION_LIST) continue;
      organizations = only === undefined ? spread(this.#ids.get(ORGANIZATION_LIST) ?? [], ORGANIZATIONS) : [only];
      this.#ids.set(ORGANIZATION_LIST, organizations);
    }
    return organizations;
  }

  /** The ids of the items above an endpoint: all organizations, and a few of the items in each. */
  #parentsOf(report: Report): readonly Ids[] {
    let parents: readonly Ids[] = [{}];
    for (const path of pathsAbove(report.endpoint.path)) {
      const parameter = parametersOf(path).at(-1) ?? '';
      const name = resourceAt(path);
      const list = path.replace(/\/:\w+$/, '.json');
      parents = parents.flatMap((ids) => {
        const listed = this.#ids.get(fill(list, ids)) ?? [];
        return (name === 'organizations' ? listed : spread(listed, ITEMS)).map((id) => ({ ...ids, [parameter]: id }));
      });
      if (parents.length > 0) continue;
      report.unread = `no ${name === null ? 'item above it' : resources[name].singular}`;
      break;
    }
    return parents;
  }

  async #readEndpoint(report: Report, ids: Ids): Promise<void> {
    const { path, paginated } = report.endpoint;
    if (paginated) return this.#check(report, () => this.#readList(report, fill(path, ids)));
    if (!path.endsWith('/:id.json')) return this.#check(report, () => this.#readOnly(report, fill(path, ids)));
    const listed = this.#ids.get(fill(path.replace('/:id.json', '.json'), ids)) ?? [];
    report.unread = 'its list is empty';
    for (const id of spread(listed, ITEMS))
      await this.#check(report, () => this.#readItem(report, fill(path, { ...ids, id })));
    if (listed.length === 0) return undefined;
    return this.#check(report, async () => {
      const missing = await this.#read(fill(path, { ...ids, id: UNUSED_ID }));
      if (report.checkStatus(missing, 'no such id', 404)) report.checkErrorBody(missing, 'no such id');
    });
  }

  /** The first page and the last. */
  async #readList(report: Report, path: string): Promise<void> {
    const response = await this.#read(path);
    if (response.status === 403 || response.status === 404) return report.add('not visible');
    const { items, pages } = report.checkPage(response);
    const more = pages > 1 ? report.checkPage(await this.#read(`${path}?page=${pages}`)).items : [];
    const ids = [...items, ...more].flatMap((item) => (isObject(item) ? [item.id] : []));
    const known = ids.filter((id) => typeof id === 'string' || typeof id === 'number');
    this.#ids.set(path, known.map(String));
  }

  /** The only resource of its kind, such as the address. */
  async #readOnly(report: Report, path: string): Promise<void> {
    const response = await this.#read(path);
    if (response.status === 403) return report.add('not visible');
    if (response.status !== 404) return report.checkItem(response, '(whole)');
    report.unread = 'not set yet';
    report.checkErrorBody(response, 'not set');
  }

  /** A listed resource, and whether a request with its ETag gets 304. */
  async #readItem(report: Report, path: string): Promise<void> {
    const response = await this.#read(path);
    report.checkItem(response, 'a listed item');
    if (response.status !== 200 || !report.endpoint.etag) return;
    const etag = response.headers.get('etag');
    if (etag === null) return report.add('etag', 'ETag', 'an ETag', 'nothing');
    const { status, headers } = await this.#read(path, { ifNoneMatch: etag });
    report.add('ok');
    // With another ETag, someone has changed the resource meanwhile.
    const hasChanged = status === 200 && headers.get('etag') !== etag;
    if (status !== 304 && !hasChanged) report.add('etag', 'If-None-Match', '304', String(status));
  }

  /**
   * Every status is a response.
   * @throws the SDK's errors if no response comes, the token is rejected, or a 429 outlasts all retries
   */
  async #read(path: string, options: { ifNoneMatch?: string } = {}): Promise<ServiceResponse> {
    try {
      const { response } = await this.client.request('GET', path, { ...options, signal: this.signal }).withResponse();
      const text = (await response.text()).replaceAll(this.token, '[token]');
      return { status: response.status, headers: response.headers, text };
    } catch (error) {
      if (!(error instanceof HttpError) && !(error instanceof ResponseParseError)) throw error;
      if ([401, 429, ...UNAVAILABLE].includes(error.status)) throw error;
      return { status: error.status, headers: error.headers, text: error.bodyText };
    }
  }

  /** Runs one check. A missing response counts as a difference, and reading continues unless the service is unreachable. */
  async #check(report: Report, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#unanswered = 0;
    } catch (error) {
      const isTimeout = error instanceof TimeoutError;
      const isUnavailable = error instanceof HttpError && UNAVAILABLE.includes(error.status);
      if (!isTimeout && !isUnavailable && !(error instanceof ConnectionError)) throw error;
      this.#unanswered += 1;
      if (isUnavailable && this.#unanswered < MAX_UNANSWERED) {
        report.unavailable = error.status;
        return report.add('not checked', `unavailable (${error.status})`);
      }
      const neverResponded = this.reports.every(({ isEmpty }) => isEmpty) && (isTimeout || neverReached(error));
      if (neverResponded || this.#unanswered >= MAX_UNANSWERED) throw error;
      report.add('no response', '(whole)', 'a response', isTimeout ? 'a timeout' : 'a broken connection');
    }
  }
}
