import type { Fetch, FetchInit, FetchResponse } from '@mkt/sdk';
import { isObject, type JsonObject, objectIn, parseJson } from '../text/values.js';
import type { Journal } from './journal.js';
import { hostOf } from './place.js';
import { isOwnField, recordable, recordableRequest, type Target, targetOf } from './targets.js';

/** For how long a row that the command has read is what it changes, in milliseconds. */
const fresh = 2000;
/** How much of them is kept, in characters. */
const mostKept = 8_000_000;
/** How long the reading before a change may take, so that it does not use up the time of the change. */
const timeoutMs = 3000;
/** Pages of members or tokens that are searched, which cannot be read one by one. */
const pages = 10;

const withText = ({ status, headers, url, redirected, type }: FetchResponse, text: string): FetchResponse => ({
  status,
  headers,
  url,
  redirected,
  type,
  text: async () => text,
});

/** What is known of a resource before it is changed: `null` if it did not exist. */
type Before = JsonObject | null | undefined;

/** A request that was recorded before it was sent. */
interface Attempted {
  readonly before: Before;
  readonly number: number | undefined;
  /** The fields that it sends. */
  readonly sent: JsonObject | undefined;
}

/** Whether the error of a request means that no connection was made. */
function wasNeverSent(error: unknown): boolean {
  const code = error instanceof Error && error.cause instanceof Error && 'code' in error.cause ? error.cause.code : '';
  return /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/.test(String(code));
}

/** Reads what a request is about to change. */
class Reader {
  /** The texts of rows that were read just now, by path. */
  readonly #rows = new Map<string, { readonly text: string; readonly at: number }>();
  #kept = 0;

  constructor(
    readonly fetch: Fetch,
    readonly base: string,
  ) {}

  keep(path: string, text: string): void {
    if (this.#kept > mostKept) {
      this.#rows.clear();
      this.#kept = 0;
    }
    this.#kept += text.length;
    this.#rows.set(path, { text, at: performance.now() });
  }

  async before(path: string, target: Target, { headers, redirect, signal }: FetchInit): Promise<Before> {
    const found = this.#rows.get(path);
    this.#rows.delete(path);
    if (found !== undefined && performance.now() - found.at < fresh) return objectIn(found.text);
    const stop = new AbortController();
    const end = () => stop.abort(signal.reason);
    const timer = setTimeout(end, timeoutMs);
    signal.addEventListener('abort', end);
    const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const { accept = 'application/json', authorization = '', 'user-agent': agent = 'mkt' } = given;
    const get = (place: string) =>
      this.fetch(this.base + place, {
        method: 'GET',
        headers: { accept, authorization, 'user-agent': agent },
        redirect,
        signal: stop.signal,
      });
    try {
      if (target.resource === 'members' || target.resource === 'tokens') return await inList(get, path, target);
      const response = await get(path);
      if (response.status === 404) return null;
      return response.status === 200 ? objectIn(await response.text()) : undefined;
    } catch {
      // The change itself will meet the same problem, and report it.
      return undefined;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    }
  }
}

async function inList(get: (path: string) => Promise<FetchResponse>, path: string, { id }: Target): Promise<Before> {
  const list = path.replace(/\/[^/]+\.json$/, '.json');
  for (let page = 1; page <= pages; page += 1) {
    const response = await get(page === 1 ? list : `${list}?page=${page}`);
    const rows = response.status === 200 ? parseJson(await response.text()) : undefined;
    if (!Array.isArray(rows) || rows.length === 0) return undefined;
    const row = rows.find((each) => isObject(each) && String(each.id) === id);
    if (isObject(row)) return row;
  }
  return undefined;
}

/** The ids of the access tokens of an account, which is recognized by them; empty if the service does not say. */
export async function readTokenIds(fetch: Fetch, baseUrl: string, token: string): Promise<readonly string[]> {
  try {
    const response = await fetch(`${baseUrl}/me/access_tokens.json`, {
      method: 'GET',
      headers: { accept: 'application/json', authorization: `Bearer ${token}`, 'user-agent': 'mkt' },
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const rows = response.status === 200 ? parseJson(await response.text()) : undefined;
    return Array.isArray(rows) ? rows.flatMap((row) => (isObject(row) && row.id != null ? [String(row.id)] : [])) : [];
  } catch {
    return [];
  }
}

/** A `fetch` that notes in the journal what each request changes. */
export function recordingFetch(fetch: Fetch, baseUrl: string, journal: Journal): Fetch {
  const reader = new Reader(fetch, baseUrl);
  const host = hostOf(baseUrl);
  /** Requests without a response: a further attempt finds the resource as they left it. */
  const attempted = new Map<string, Attempted>();
  /** Of actions: the resource is read after them, because their own response is only a redirect. */
  const acted = new Map<string, Attempted>();

  const begin = async (target: Target, before: Before, { method, body }: FetchInit): Promise<Attempted> => {
    const { resource, organization, id, action } = target;
    const [fields] = typeof body === 'string' ? Object.values(objectIn(body) ?? {}) : [];
    const sent = isObject(fields) ? fields : undefined;
    const number = await journal.begin({
      scope: { host, organization, resource },
      id: before === null ? undefined : id,
      method,
      action,
      before: before ? recordable(resource, before) : undefined,
      sent: sent && recordableRequest(resource, sent),
    });
    return { before, number, sent };
  };

  const ended = ({ before, number, sent }: Attempted, target: Target, after: JsonObject | undefined): Promise<void> => {
    const { resource, organization, id } = target;
    const shown = after && recordable(resource, after);
    const own = String(after?.id ?? before?.id ?? id);
    return journal.ended(number, {
      scope: { host, organization: resource === 'organizations' ? own : organization, resource },
      id: own,
      before: before ? recordable(resource, before) : undefined,
      after: shown,
      kind: shown === undefined ? 'deleted' : id === undefined || before === null ? 'created' : 'changed',
      isOwn: isOwnField(target, sent),
      seen: journal.machineNow(),
      at: journal.now(),
    });
  };

  async function read(path: string, target: Target, url: string, init: FetchInit): Promise<FetchResponse> {
    const response = await fetch(url, init);
    if (response.status !== 200) return response;
    const text = await response.text();
    reader.keep(path, text);
    const attempt = acted.get(path);
    const row = objectIn(text);
    if (attempt !== undefined && row !== undefined) {
      acted.delete(path);
      await ended(attempt, target, row);
    }
    return withText(response, text);
  }

  async function write(path: string, target: Target, url: string, init: FetchInit): Promise<FetchResponse> {
    const { id, action } = target;
    const own = action === undefined ? path : `${path.slice(0, -action.length - 1)}.json`;
    const key = `${init.method} ${path}`;
    // Creations are not repeated, and several of them may be under way.
    const attempt =
      (id === undefined ? undefined : attempted.get(key)) ??
      (await begin(target, id === undefined ? undefined : await reader.before(own, target, init), init));
    attempted.set(key, attempt);
    const response = await fetch(url, init).catch(async (error: unknown) => {
      if (wasNeverSent(error)) {
        attempted.delete(key);
        await journal.ended(attempt.number);
      }
      throw error;
    });
    // An earlier attempt may have been done although this is its only response.
    if (response.status >= 500) return response;
    attempted.delete(key);
    if (response.status >= 400) {
      await journal.ended(attempt.number);
      return response;
    }
    if (action !== undefined) {
      acted.set(own, attempt);
      return response;
    }
    const text = await response.text();
    const after = init.method === 'DELETE' ? undefined : objectIn(text);
    if (init.method === 'DELETE' || after !== undefined) await ended(attempt, target, after);
    return withText(response, text);
  }

  const root = new URL(baseUrl).pathname.replace(/\/+$/, '').length;
  return async (url, init) => {
    const path = url.startsWith(baseUrl) ? new URL(url).pathname.slice(root) : '';
    const target = targetOf(path);
    if (target === undefined || init.method === 'HEAD') return fetch(url, init);
    if (init.method !== 'GET') return write(path, target, url, init);
    return target.id === undefined ? fetch(url, init) : read(path, target, url, init);
  };
}
