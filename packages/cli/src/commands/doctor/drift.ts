import {
  ConnectionError,
  HttpError,
  type Marketplace,
  type Middleware,
  ResponseParseError,
  TimeoutError,
} from '@mkt/sdk';
import { endpoints } from '@mkt/sdk/contract';
import { explain, neverReached } from '../../api/errors/explain.js';
import { clientFor } from '../../api/http/client.js';
import { findOrganization, idOf } from '../../api/organization.js';
import { resolveToken } from '../../config/credentials.js';
import type { Context } from '../../context/context.js';
import { CliError, interrupted } from '../../errors/cli-error.js';
import { type ExitCode, exitCodes } from '../../errors/exit-codes.js';
import type { View } from '../../output/view.js';
import { isObject } from '../../text/json.js';
import { contentType, isDifference, isJson, Report, type ServiceResponse, shortened } from './drift-report.js';

/** Milliseconds for everything. */
const TOTAL_TIME = 120_000;
const OUT_OF_TIME = 'out of time';
/** How much is read at most. */
const ORGANIZATIONS = 5;
const ITEMS = 3;
/** A service or its load balancer is overloaded or restarts, which says nothing about the contract. */
const UNAVAILABLE = [502, 503, 504];
/** After this many checks in a row without a response, the service counts as unreachable. */
const MAX_UNANSWERED = 3;
/** No resource has this id, whether ids count up from 1 or are opaque. */
const UNUSED_ID = '0';
const ORGANIZATION_LIST = '/organizations.json';

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

/** `mkt doctor --drift`: reads what the token can see, compares it with the contract, and reports the differences. */
export async function drift(context: Context): Promise<void> {
  const { io, options, settings, print } = context;
  const baseUrl = settings.requiredBaseUrl;
  const token = await resolveToken(io, settings, baseUrl, (text) => context.warn(text));
  const reports = endpoints.filter(({ method }) => method === 'GET').map((endpoint) => new Report(endpoint));
  let requests = 0;
  let organizations: readonly string[] | undefined;
  let failure: unknown;
  await context.withProgress('Requests', async (progress) => {
    const eachAttempt: Middleware = (request, next) => {
      requests += 1;
      progress.update(requests);
      return next(new Request(request, { redirect: 'manual' }));
    };
    try {
      const only = options.org === undefined ? undefined : idOf(await findOrganization(context, options.org, '--org'));
      const client = await clientFor(context, baseUrl, token.value, [eachAttempt]);
      const retry = { limit: 3, minDelay: 100, maxRetryAfter: 30_000 };
      const patient = client.withOptions({ retry, totalTimeout: TOTAL_TIME });
      organizations = await new Walk(patient, token.value, io.interrupted, reports).run(only);
    } catch (error) {
      failure = await explain(error, { action: 'read', id: 'the API' }, context);
    }
  });
  if (io.interrupted.aborted) throw failure ?? interrupted();
  // What was found before a failure is still shown.
  if (failure !== undefined && reports.every(({ isEmpty }) => isEmpty)) throw failure;
  const rows = reports.flatMap((report) => report.rows);
  await print.rows([rows], view);
  if (organizations === undefined) throw failure;
  const searched = `${organizations.length} organization${organizations.length === 1 ? '' : 's'}`;
  if (print.isHumanReadable) context.note(`${requests} requests, GET and HEAD only, in ${searched}.`);
  const fail = (code: string, exitCode: ExitCode, message: string, hint: string): CliError =>
    new CliError({ code, exitCode, message, hints: [hint] });
  const { length: count } = rows.filter(isDifference);
  if (count > 0) {
    const ways = count === 1 ? 'one way' : `${count} ways`;
    const hint = 'To send to the operator of the service: mkt doctor --drift --json';
    throw fail('drift', exitCodes.unexpected, `The service differs from the API document in ${ways}.`, hint);
  }
  const unchecked = rows.flatMap(({ kind, where }) => (kind === 'not checked' && where !== null ? [where] : []));
  const unavailable = unchecked.find((reason) => reason.startsWith('unavailable'));
  if (unavailable !== undefined) {
    const message = `The service was ${unavailable} for some requests; what they read is "not checked".`;
    throw fail('service_failed', exitCodes.unexpected, message, 'Try again later');
  }
  if (unchecked.includes(OUT_OF_TIME)) {
    const message = `Not everything could be checked in ${TOTAL_TIME / 1000} seconds; the rest is "not checked".`;
    throw fail('timeout', exitCodes.network, message, 'To check one organization: mkt doctor --drift --org ID');
  }
}

const idIn = (item: unknown): string | undefined => {
  const { id } = isObject(item) ? item : {};
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
};

type Ids = Readonly<Record<string, string>>;

const fill = (path: string, ids: Ids): string =>
  path.replaceAll(/:(\w+)/g, (_match, name: string) => encodeURIComponent(ids[name] ?? ''));

/** The first, the last, and evenly spaced ones between. */
function spread<Element>(items: readonly Element[], count: number): readonly Element[] {
  const step = Math.max(1, (items.length - 1) / (count - 1));
  const chosen = Array.from({ length: count }, (_, index) => Math.round(index * step));
  return items.filter((_, index) => chosen.includes(index));
}

/** Reads the GET endpoints of the contract, a few pages and items of each list. */
class Walk {
  /** The ids in each list that was read, by path. */
  readonly #ids = new Map<string, readonly string[]>();
  /** Checks in a row that got no response. */
  #unanswered = 0;
  readonly #end = performance.now() + TOTAL_TIME;

  constructor(
    readonly client: Marketplace,
    readonly token: string,
    readonly signal: AbortSignal,
    readonly reports: readonly Report[],
  ) {}

  /**
   * Reads everything, and returns the ids of the organizations that were read.
   * @param only id of the only organization to read
   * @throws if the service cannot be reached or rejects the token
   */
  async run(only: string | undefined): Promise<readonly string[]> {
    const inside = this.reports.filter(({ endpoint }) => endpoint.path.includes(':organization_id'));
    for (const report of this.reports) {
      if (inside.includes(report)) continue;
      await this.#readEndpoint(report, {});
      if (report.endpoint.path !== ORGANIZATION_LIST) continue;
      await this.#check(report, () => this.#readWithoutToken(report));
      this.#ids.set(
        ORGANIZATION_LIST,
        only === undefined ? spread(this.#listed(ORGANIZATION_LIST), ORGANIZATIONS) : [only],
      );
    }
    const organizations = this.#listed(ORGANIZATION_LIST);
    for (const report of inside) report.unread = 'no organization';
    for (const organization_id of organizations)
      for (const report of inside) await this.#readEndpoint(report, { organization_id });
    return organizations;
  }

  #listed(path: string): readonly string[] {
    return this.#ids.get(path) ?? [];
  }

  /** In the contract, a list precedes the endpoint of its items. */
  async #readEndpoint(report: Report, ids: Ids): Promise<void> {
    const { path, paginated } = report.endpoint;
    const target = fill(path, ids);
    if (paginated)
      return this.#check(report, async () => void this.#ids.set(target, await this.#readList(report, target)));
    if (!path.endsWith('/:id.json')) return this.#check(report, () => this.#readOne(report, target));
    const listed = this.#listed(fill(path.replace('/:id.json', '.json'), ids));
    report.unread = 'its list is empty';
    if (listed.length === 0) return undefined;
    for (const id of spread(listed, ITEMS))
      await this.#check(report, () => this.#readOne(report, fill(path, { ...ids, id }), id));
    return this.#check(report, async () => {
      const missing = await this.#read('GET', fill(path, { ...ids, id: UNUSED_ID }));
      if (report.checkStatus(missing, 'no such id', 404)) report.checkErrorBody(missing, 'no such id');
    });
  }

  /** The first two pages and the last, the page headers, and HEAD. Returns the ids. */
  async #readList(report: Report, path: string): Promise<readonly string[]> {
    const response = await this.#read('GET', path);
    if (response.status === 403 || response.status === 404) {
      report.add('not visible');
      return [];
    }
    const first = report.checkPage(response);
    if (!first) return [];
    const { items, count, pages = 1 } = first;
    const listed = items.flatMap((item) => idIn(item) ?? []);
    const further = [...new Set([2, pages])].filter((page) => page >= 2 && page <= pages);
    let read = items.length;
    let isComplete = further.length === Math.max(0, pages - 1);
    for (const number of further) {
      const page = report.checkPage(await this.#read('GET', `${path}?page=${number}`));
      const ids = page?.items.flatMap((item) => idIn(item) ?? []) ?? [];
      const isRepeated = ids.length > 0 && ids.every((id) => listed.includes(id));
      if (page?.items.length === 0) report.add('paging', 'Total-Pages', 'rows on every page', 'an empty page');
      if (isRepeated) report.add('paging', 'page', 'other rows on each page', 'the same rows');
      if (!page || isRepeated) isComplete = false;
      read += page?.items.length ?? 0;
      listed.push(...ids);
    }
    if (isComplete && count !== undefined && read !== count)
      report.add('paging', 'Total-Count', 'the number of rows', count > read ? 'more' : 'fewer');
    await this.#readHead(report, path, response);
    return listed;
  }

  /** A listed resource, or without an id the only one of its kind, such as the address. */
  async #readOne(report: Report, path: string, id?: string): Promise<void> {
    const response = await this.#read('GET', path);
    if (id === undefined && response.status === 403) return report.add('not visible');
    if (id === undefined && response.status === 404) {
      report.unread = 'not set yet';
      return report.checkErrorBody(response, 'not set');
    }
    const item = report.checkItem(response, id === undefined ? '(whole)' : 'a listed item');
    if (response.status !== 200) return undefined;
    if (item !== undefined && id !== undefined && idIn(item) !== id)
      report.add('body', 'id', 'the requested id', 'another id');
    if (report.endpoint.etag) await this.#revalidate(report, path, response);
    return this.#readHead(report, path, response);
  }

  /** Checks that there is an ETag, and that a request with it gets 304. Tries again if the resource changed meanwhile. */
  async #revalidate(report: Report, path: string, first: ServiceResponse): Promise<void> {
    const seen: string[] = [];
    for (let response = first; ; ) {
      const etag = response.headers.get('etag');
      if (etag === null) return report.add('etag', 'ETag', 'an ETag', 'nothing');
      if (seen.length === 2)
        return report.add('etag', 'If-None-Match', '304', seen.includes(etag) ? '200' : '200 and another ETag');
      seen.push(etag);
      response = await this.#read('GET', path, { 'if-none-match': etag });
      report.add('ok');
      if (response.status === 304 || !report.checkStatus(response, 'If-None-Match', 200)) return;
    }
  }

  /** Checks that HEAD gets the same status as GET. */
  async #readHead(report: Report, path: string, { status }: ServiceResponse): Promise<void> {
    const head = await this.#read('HEAD', path);
    if (head.status !== status) report.add('head', 'HEAD', String(status), String(head.status));
  }

  /** Rules of all endpoints, checked at one: a token is required, and browsers get an HTML page. */
  async #readWithoutToken(report: Report): Promise<void> {
    const { path } = report.endpoint;
    const anonymous = await this.#read('GET', path, { authorization: null });
    if (report.checkStatus(anonymous, 'without a token', 401)) {
      const scheme = anonymous.headers.get('www-authenticate');
      if (!/^token\b/i.test(scheme ?? ''))
        report.add('header', 'WWW-Authenticate', 'Token realm="..."', shortened(scheme));
    }
    const type = contentType(await this.#read('GET', path, { accept: 'text/html' }));
    if (isJson(type)) report.add('content type', 'Accept: text/html', 'an HTML page', shortened(type));
  }

  /**
   * Every status is a response. `headers` override the usual ones; null removes one.
   * @throws the SDK's errors if no response comes, the token is rejected, or a 429 outlasts all retries
   */
  async #read(
    method: 'GET' | 'HEAD',
    path: string,
    headers: Readonly<Record<string, string | null>> = {},
  ): Promise<ServiceResponse> {
    try {
      const { response } = await this.client.request(method, path, { headers, signal: this.signal }).withResponse();
      const text = (await response.text()).replaceAll(this.token, '[token]');
      return { status: response.status, headers: response.headers, text };
    } catch (error) {
      if (!(error instanceof HttpError) && !(error instanceof ResponseParseError)) throw error;
      const endsWalk = method === 'GET' && headers.authorization !== null && [401, 429].includes(error.status);
      if (endsWalk || UNAVAILABLE.includes(error.status)) throw error;
      return { status: error.status, headers: error.headers, text: error.bodyText };
    }
  }

  /** Runs one check. A missing response counts as a difference, and the walk continues unless the service is unreachable. */
  async #check(report: Report, work: () => Promise<void>): Promise<void> {
    if (performance.now() > this.#end) return report.add('not checked', OUT_OF_TIME);
    try {
      await work();
      this.#unanswered = 0;
    } catch (error) {
      const isTimeout = error instanceof TimeoutError;
      const isUnavailable = error instanceof HttpError && UNAVAILABLE.includes(error.status);
      if (!isTimeout && !isUnavailable && !(error instanceof ConnectionError)) throw error;
      this.#unanswered += 1;
      if (isUnavailable && this.#unanswered < MAX_UNANSWERED)
        return report.add('not checked', `unavailable (${error.status})`);
      const neverResponded = this.reports.every(({ isEmpty }) => isEmpty) && (isTimeout || neverReached(error));
      if (neverResponded || this.#unanswered >= MAX_UNANSWERED) throw error;
      report.add('no response', '(whole)', 'a response', isTimeout ? 'a timeout' : 'a broken connection');
    }
  }
}
