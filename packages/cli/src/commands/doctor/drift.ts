import { ConnectionError, TimeoutError } from '@mkt/sdk';
import { endpoints } from '@mkt/sdk/contract';
import { explain } from '../../api/errors/explain.js';
import { neverReached } from '../../api/errors/network.js';
import { resolveToken } from '../../config/credentials/token.js';
import type { Context } from '../../context/context.js';
import { CliError, interrupted } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import type { View } from '../../output/view.js';
import { isObject } from '../../text/json.js';
import { sanitizeLine } from '../../text/sanitize.js';
import {
  checkErrorBody,
  checkItem,
  checkPage,
  checkStatus,
  contentType,
  isJson,
  Report,
  shortened,
} from './drift-report.js';
import { ServiceReader, type ServiceResponse } from './service-reader.js';

/** Milliseconds for everything. */
const TOTAL_TIME = 120_000;
/** How much is read, however much there is. */
const ORGANIZATIONS = 5;
const ITEMS = 3;
/** The service counts as gone after this many checks in a row without a response. */
const GONE = 3;
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
  let reader: ServiceReader | undefined;
  let failure: unknown;
  const organizations = await context.withProgress('Requests', async (progress) => {
    try {
      reader = await ServiceReader.open(context, baseUrl, token.value, {
        retries: 3,
        onRequest: (requests) => progress.update(requests),
      });
      return await new Walk(reader, reports, end).run(options.org);
    } catch (error) {
      failure = await explain(error, { verb: 'read', id: 'the API' }, context);
      return 0;
    }
  });
  if (io.interrupted.aborted) throw failure ?? interrupted();
  // What was found before a failure is still shown, unless the organization does not exist.
  const notFound = failure instanceof CliError && failure.exitCode === exitCodes.notFound;
  if (failure !== undefined && (notFound || reports.every(({ isEmpty }) => isEmpty))) throw failure;
  await print.rows([reports.flatMap((report) => report.rows())], view);
  if (failure !== undefined) throw failure;
  const looked = `${organizations} organization${organizations === 1 ? '' : 's'}`;
  if (print.forPeople) context.note(`${reader?.requests} requests, GET and HEAD only, in ${looked}.`);
  const count = reports.reduce((sum, report) => sum + report.differences, 0);
  if (count > 0) {
    throw new CliError({
      code: 'drift',
      exitCode: exitCodes.unexpected,
      message: `The service differs from the API document in ${count === 1 ? 'one way' : `${count} ways`}.`,
      hints: ['As data, to send to whoever runs the service: mkt doctor --drift --json'],
    });
  }
  if (performance.now() > end) {
    throw new CliError({
      code: 'timeout',
      exitCode: exitCodes.network,
      message: `${TOTAL_TIME / 1000} seconds were not enough to check everything; the rest is "not checked".`,
      hints: ['To check one organization: mkt doctor --drift --org ID'],
    });
  }
}

interface Item {
  readonly id: string;
  readonly name: unknown;
}

const idIn = (item: unknown): string | undefined => {
  const { id } = (isObject(item) ? item : {}) as { id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
};

type Ids = Readonly<Record<string, string>>;

const fill = (path: string, ids: Ids): string =>
  path.replaceAll(/:(\w+)/g, (_match, name: string) => encodeURIComponent(ids[name] ?? ''));

const needs = ({ endpoint }: Report, name: string): boolean => endpoint.path.split(/[/.]/).includes(`:${name}`);

/** The first, the last, and evenly spaced ones between. */
function spread<Element>(items: readonly Element[], count: number): Element[] {
  if (items.length <= count) return [...items];
  const step = (items.length - 1) / (count - 1);
  return Array.from({ length: count }, (_, index) => items[Math.round(index * step)] as Element);
}

/** Reads the GET endpoints of the contract, a few pages and items of each list. */
class Walk {
  readonly #reader: ServiceReader;
  readonly #reports: readonly Report[];
  readonly #end: number;
  /** The items of each list that was read, by path. */
  readonly #items = new Map<string, readonly Item[]>();
  /** Checks in a row that got no response. */
  #silent = 0;

  constructor(reader: ServiceReader, reports: readonly Report[], end: number) {
    this.#reader = reader;
    this.#reports = reports;
    this.#end = end;
  }

  /**
   * Reads everything and gives the number of organizations.
   * @param wanted id or name of the only organization to look into
   * @throws when the service is gone or rejects the token, and when `wanted` does not exist
   */
  async run(wanted: string | undefined): Promise<number> {
    const inside = this.#reports.filter((report) => needs(report, 'organization_id'));
    const outside = this.#reports.filter((report) => !inside.includes(report));
    await this.#readLists(outside, {});
    const organizations = await this.#organizations(wanted);
    this.#items.set(ORGANIZATION_LIST, organizations);
    await this.#readItems(outside, {});
    for (const { id } of organizations) {
      await this.#readLists(inside, { organization_id: id });
      await this.#readItems(inside, { organization_id: id });
    }
    if (organizations.length === 0) for (const report of inside) report.notChecked('no organization');
    const list = outside.find(({ endpoint }) => endpoint.path === ORGANIZATION_LIST);
    if (list) await this.#check(list, () => this.#readWithoutToken(list));
    return organizations.length;
  }

  async #organizations(wanted: string | undefined): Promise<readonly Item[]> {
    const listed = this.#items.get(ORGANIZATION_LIST) ?? [];
    if (wanted === undefined) return spread(listed, ORGANIZATIONS);
    const found = listed.find(({ id }) => id === wanted) ?? listed.find(({ name }) => name === wanted);
    if (found) return [found];
    // It may be on a page that was not read.
    const { status } = await this.#get(fill('/organizations/:id.json', { id: wanted }));
    if (status === 200) return [{ id: wanted, name: undefined }];
    throw new CliError({
      code: 'not_found',
      exitCode: exitCodes.notFound,
      message: `Organization "${sanitizeLine(wanted)}" (--org) was not found, or this token cannot see it.`,
      hints: ['mkt organizations list'],
      status,
    });
  }

  async #readLists(reports: readonly Report[], ids: Ids): Promise<void> {
    for (const report of reports.filter(({ endpoint }) => endpoint.paginated)) {
      const path = fill(report.endpoint.path, ids);
      await this.#check(report, async () => {
        this.#items.set(path, await this.#readList(report, path));
      });
    }
  }

  async #readItems(reports: readonly Report[], ids: Ids): Promise<void> {
    for (const report of reports.filter(({ endpoint }) => !endpoint.paginated)) {
      const { path } = report.endpoint;
      const pathOf = (id: string): string => fill(path, { ...ids, id });
      if (!needs(report, 'id')) {
        await this.#check(report, () => this.#readSingle(report, fill(path, ids)));
        continue;
      }
      const items = this.#items.get(fill(path.replace(/\/:id\.json$/, '.json'), ids)) ?? [];
      for (const [index, { id }] of spread(items, ITEMS).entries())
        await this.#check(report, () => this.#readItem(report, pathOf(id), id, index === 0));
      if (items.length === 0) report.notChecked('its list is empty');
      else await this.#check(report, () => this.#readMissing(report, pathOf(UNUSED_ID)));
    }
  }

  /** The first two pages and the last, the page headers, and HEAD. */
  async #readList(report: Report, path: string): Promise<readonly Item[]> {
    const response = await this.#get(path);
    if (response.status === 403 || response.status === 404) {
      report.notVisible();
      return [];
    }
    const first = checkPage(report, response);
    if (!first) return [];
    const { items, count, pages = 1 } = first;
    const listed = itemsIn(items);
    const further = [...new Set([2, pages])].filter((page) => page >= 2 && page <= pages);
    let read = items.length;
    let complete = further.length === Math.max(0, pages - 1);
    for (const number of further) {
      const page = checkPage(report, await this.#get(`${path}?page=${number}`));
      const found = itemsIn(page?.items ?? []);
      const isRepeated = found.length > 0 && found.every(({ id }) => listed.some((item) => item.id === id));
      if (page?.items.length === 0) report.add('paging', 'Total-Pages', 'rows on every page', 'an empty page');
      if (isRepeated) report.add('paging', 'page', 'other rows on another page', 'the same rows');
      if (!page || isRepeated) complete = false;
      read += page?.items.length ?? 0;
      listed.push(...found);
    }
    if (complete && count !== undefined && read !== count)
      report.add('paging', 'Total-Count', 'the number of rows', count > read ? 'more' : 'less');
    await this.#readHead(report, path, response);
    return listed;
  }

  /** What exists once, such as the address. */
  async #readSingle(report: Report, path: string): Promise<void> {
    const response = await this.#get(path);
    if (response.status === 404) {
      report.notChecked('none is set yet');
      checkErrorBody(report, response, 'none is set');
    } else if (response.status === 403) report.notVisible();
    else {
      checkItem(report, response, '(whole)');
      await this.#readHead(report, path, response);
    }
  }

  async #readItem(report: Report, path: string, id: string, isFirst: boolean): Promise<void> {
    const response = await this.#get(path);
    const body = checkItem(report, response, 'one of its list');
    if (response.status !== 200) return;
    if (body && idIn(body.value) !== id) report.add('body', 'id', 'the id asked for', 'another');
    if (report.endpoint.etag) await this.#revalidate(report, path, response);
    if (isFirst) await this.#readHead(report, path, response);
  }

  /** A show has an ETag and answers 304 to it. A resource that changed meanwhile gets a second chance. */
  async #revalidate(report: Report, path: string, first: ServiceResponse): Promise<void> {
    const seen: string[] = [];
    for (let response = first; ; ) {
      const etag = response.headers.get('etag');
      if (etag === null) return report.add('etag', 'ETag', 'an ETag', 'nothing');
      if (seen.length === 2)
        return report.add('etag', 'If-None-Match', '304', seen.includes(etag) ? '200' : '200 and another ETag');
      seen.push(etag);
      response = await this.#get(path, { 'if-none-match': etag });
      report.responded();
      if (response.status === 304 || !checkStatus(report, response, 'If-None-Match', 200)) return;
    }
  }

  async #readMissing(report: Report, path: string): Promise<void> {
    const response = await this.#get(path);
    if (checkStatus(report, response, 'no such id', 404)) checkErrorBody(report, response, 'no such id');
  }

  /** HEAD is answered as GET is, without a body. */
  async #readHead(report: Report, path: string, { status }: ServiceResponse): Promise<void> {
    const head = await this.#reader.read('HEAD', path);
    if (head.status !== status) report.add('head', 'HEAD', String(status), String(head.status));
  }

  /** What holds for every endpoint, checked once: a token is needed, and browsers get a page. */
  async #readWithoutToken(report: Report): Promise<void> {
    const { path } = report.endpoint;
    const anonymous = await this.#reader.read('GET', path, { authorization: null });
    if (checkStatus(report, anonymous, 'without a token', 401)) {
      const scheme = anonymous.headers.get('www-authenticate');
      if (!/^token\b/i.test(scheme ?? ''))
        report.add('header', 'WWW-Authenticate', 'Token realm="..."', shortened(scheme));
    }
    const page = await this.#get(path, { accept: 'text/html' });
    if (isJson(page)) report.add('content type', 'Accept: text/html', 'an HTML page', shortened(contentType(page)));
  }

  /** @throws CliError when the token is rejected, and when the service still asks to wait after all retries */
  async #get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<ServiceResponse> {
    const response = await this.#reader.read('GET', path, headers);
    const { status } = response;
    if (status === 401)
      throw new CliError({
        code: 'token_rejected',
        exitCode: exitCodes.authentication,
        message: 'The service rejected your token: it is wrong, or it was revoked.',
        hints: ['To find out why: mkt doctor'],
        status,
      });
    if (status === 429)
      throw new CliError({
        code: 'rate_limited',
        exitCode: exitCodes.rateLimited,
        message: 'Too many requests: the service asks to wait longer than this check may take.',
        hints: ['Wait a while, then try again', 'To check one organization: mkt doctor --drift --org ID'],
        status,
      });
    return response;
  }

  /** Runs one check. No response is a difference, and the walk goes on unless the service is gone. */
  async #check(report: Report, work: () => Promise<void>): Promise<void> {
    if (performance.now() > this.#end) return report.notChecked('the time was up');
    try {
      await work();
      this.#silent = 0;
    } catch (error) {
      const isTimeout = error instanceof TimeoutError;
      if (!isTimeout && !(error instanceof ConnectionError)) throw error;
      this.#silent += 1;
      const neverAnswered = this.#reports.every(({ isEmpty }) => isEmpty) && (isTimeout || neverReached(error));
      if (neverAnswered || this.#silent >= GONE) throw error;
      report.add('no answer', '(whole)', 'an answer', isTimeout ? 'silence' : 'a broken connection');
    }
  }
}

const itemsIn = (items: readonly unknown[]): Item[] =>
  items.flatMap((item) => {
    const id = idIn(item);
    return id === undefined ? [] : [{ id, name: (item as { name?: unknown }).name }];
  });
