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
import { exitCodes } from '../../errors/exit-codes.js';
import type { View } from '../../output/view.js';
import { isObject } from '../../text/json.js';
import { contentType, isJson, Report, type ServiceResponse, shortened } from './drift-report.js';

/** Milliseconds for everything. */
const TOTAL_TIME = 120_000;
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
  const end = performance.now() + TOTAL_TIME;
  const reports = endpoints.filter(({ method }) => method === 'GET').map((endpoint) => new Report(endpoint));
  let requests = 0;
  let organizations: readonly string[] | undefined;
  let unavailable: number | undefined;
  let failure: unknown;
  await context.withProgress('Requests', async (progress) => {
    const eachAttempt: Middleware = (request, next) => {
      requests += 1;
      progress.update(requests);
      return next(new Request(request, { redirect: 'manual' }));
    };
    try {
      const client = await clientFor(context, baseUrl, token.value, [eachAttempt]);
      const retry = { limit: 3, minDelay: 100, maxRetryAfter: 30_000 };
      const redact = (text: string): string => text.replaceAll(token.value, '[token]');
      const walk = new Walk(
        client.withOptions({ retry, totalTimeout: TOTAL_TIME }),
        redact,
        io.interrupted,
        reports,
        end,
      );
      const only = options.org === undefined ? undefined : idOf(await findOrganization(context, options.org, '--org'));
      organizations = await walk.run(only);
      unavailable = walk.unavailable;
    } catch (error) {
      failure = await explain(error, { action: 'read', id: 'the API' }, context);
    }
  });
  if (io.interrupted.aborted) throw failure ?? interrupted();
  // What was found before a failure is still shown.
  if (failure !== undefined && reports.every(({ isEmpty }) => isEmpty)) throw failure;
  await print.rows([reports.flatMap(({ rows }) => rows)], view);
  if (organizations === undefined) throw failure;
  const { length } = organizations;
  const searched = `${length} organization${length === 1 ? '' : 's'}`;
  if (print.isHumanReadable) context.note(`${requests} requests, GET and HEAD only, in ${searched}.`);
  const { length: count } = reports.flatMap(({ differences }) => differences);
  if (count > 0) {
    throw new CliError({
      code: 'drift',
      exitCode: exitCodes.unexpected,
      message: `The service differs from the API document in ${count === 1 ? 'one way' : `${count} ways`}.`,
      hints: ['To send to the operator of the service: mkt doctor --drift --json'],
    });
  }
  if (unavailable !== undefined) {
    throw new CliError({
      code: 'service_failed',
      exitCode: exitCodes.unexpected,
      message: `The service was unavailable (${unavailable}) for some requests; what they read is "not checked".`,
      hints: ['Try again later'],
    });
  }
  if (performance.now() > end) {
    throw new CliError({
      code: 'timeout',
      exitCode: exitCodes.network,
      message: `Not everything could be checked in ${TOTAL_TIME / 1000} seconds; the rest is "not checked".`,
      hints: ['To check one organization: mkt doctor --drift --org ID'],
    });
  }
}

const idIn = (item: unknown): string | undefined => {
  const { id } = isObject(item) ? item : {};
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
};
const idsIn = (items: readonly unknown[]): string[] => items.flatMap((item) => idIn(item) ?? []);

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
  /** The last status of a service that was temporarily unavailable. */
  unavailable: number | undefined;

  constructor(
    readonly client: Marketplace,
    readonly redact: (text: string) => string,
    readonly signal: AbortSignal,
    readonly reports: readonly Report[],
    readonly end: number,
  ) {}

  /**
   * Reads everything, and returns the ids of the organizations that were read.
   * @param only id of the only organization to read
   * @throws if the service cannot be reached or rejects the token
   */
  async run(only: string | undefined): Promise<readonly string[]> {
    const inside = this.reports.filter(({ endpoint }) => endpoint.path.includes(':organization_id'));
    const outside = this.reports.filter((report) => !inside.includes(report));
    await this.#readLists(outside, {});
    const organizations = only === undefined ? spread(this.#ids.get(ORGANIZATION_LIST) ?? [], ORGANIZATIONS) : [only];
    this.#ids.set(ORGANIZATION_LIST, organizations);
    await this.#readItems(outside, {});
    for (const organization_id of organizations) {
      await this.#readLists(inside, { organization_id });
      await this.#readItems(inside, { organization_id });
    }
    if (organizations.length === 0) for (const report of inside) report.notChecked('no organization');
    const list = outside.find(({ endpoint }) => endpoint.path === ORGANIZATION_LIST);
    if (list) await this.#check(list, () => this.#readWithoutToken(list));
    return organizations;
  }

  async #readLists(reports: readonly Report[], ids: Ids): Promise<void> {
    for (const report of reports.filter(({ endpoint }) => endpoint.paginated)) {
      const path = fill(report.endpoint.path, ids);
      await this.#check(report, async () => {
        this.#ids.set(path, await this.#readList(report, path));
      });
    }
  }

  async #readItems(reports: readonly Report[], ids: Ids): Promise<void> {
    for (const report of reports.filter(({ endpoint }) => !endpoint.paginated)) {
      const { path } = report.endpoint;
      if (!path.endsWith('/:id.json')) {
        await this.#check(report, () => this.#readSingle(report, fill(path, ids)));
        continue;
      }
      const listed = this.#ids.get(fill(path.replace('/:id.json', '.json'), ids)) ?? [];
      for (const [index, id] of spread(listed, ITEMS).entries())
        await this.#check(report, () => this.#readItem(report, fill(path, { ...ids, id }), id, index === 0));
      if (listed.length === 0) report.notChecked('its list is empty');
      else await this.#check(report, () => this.#readMissing(report, fill(path, { ...ids, id: UNUSED_ID })));
    }
  }

  /** The first two pages and the last, the page headers, and HEAD. */
  async #readList(report: Report, path: string): Promise<readonly string[]> {
    const response = await this.#read('GET', path);
    if (response.status === 403 || response.status === 404) {
      report.add('not visible');
      return [];
    }
    const first = report.checkPage(response);
    if (!first) return [];
    const { items, count, pages = 1 } = first;
    const listed = idsIn(items);
    const further = [...new Set([2, pages])].filter((page) => page >= 2 && page <= pages);
    let read = items.length;
    let isComplete = further.length === Math.max(0, pages - 1);
    for (const number of further) {
      const page = report.checkPage(await this.#read('GET', `${path}?page=${number}`));
      const ids = idsIn(page?.items ?? []);
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

  /** A resource without a list, such as the address. */
  async #readSingle(report: Report, path: string): Promise<void> {
    const response = await this.#read('GET', path);
    if (response.status === 404) {
      report.notChecked('not set yet');
      report.checkErrorBody(response, 'not set');
    } else if (response.status === 403) report.add('not visible');
    else {
      report.checkItem(response, '(whole)');
      await this.#readHead(report, path, response);
    }
  }

  async #readItem(report: Report, path: string, id: string, isFirst: boolean): Promise<void> {
    const response = await this.#read('GET', path);
    const item = report.checkItem(response, 'a listed item');
    if (response.status !== 200) return;
    if (item !== undefined && idIn(item) !== id) report.add('body', 'id', 'the requested id', 'another id');
    if (report.endpoint.etag) await this.#revalidate(report, path, response);
    if (isFirst) await this.#readHead(report, path, response);
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

  async #readMissing(report: Report, path: string): Promise<void> {
    const response = await this.#read('GET', path);
    if (report.checkStatus(response, 'no such id', 404)) report.checkErrorBody(response, 'no such id');
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
      return { status: response.status, headers: response.headers, text: this.redact(await response.text()) };
    } catch (error) {
      if (!(error instanceof HttpError) && !(error instanceof ResponseParseError)) throw error;
      const endsWalk = method === 'GET' && headers.authorization !== null && [401, 429].includes(error.status);
      if (endsWalk || UNAVAILABLE.includes(error.status)) throw error;
      return { status: error.status, headers: error.headers, text: error.bodyText };
    }
  }

  /** Runs one check. A missing response counts as a difference, and the walk continues unless the service is unreachable. */
  async #check(report: Report, work: () => Promise<void>): Promise<void> {
    if (performance.now() > this.end) return report.notChecked('out of time');
    try {
      await work();
      this.#unanswered = 0;
    } catch (error) {
      const isTimeout = error instanceof TimeoutError;
      const isUnavailable = error instanceof HttpError && UNAVAILABLE.includes(error.status);
      if (!isTimeout && !isUnavailable && !(error instanceof ConnectionError)) throw error;
      this.#unanswered += 1;
      if (isUnavailable && this.#unanswered < MAX_UNANSWERED) {
        this.unavailable = error.status;
        report.add('not checked', `unavailable (${error.status})`);
        return;
      }
      const neverResponded = this.reports.every(({ isEmpty }) => isEmpty) && (isTimeout || neverReached(error));
      if (neverResponded || this.#unanswered >= MAX_UNANSWERED) throw error;
      report.add('no response', '(whole)', 'a response', isTimeout ? 'a timeout' : 'a broken connection');
    }
  }
}
