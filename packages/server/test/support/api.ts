import { type AppOptions, createApp, demoSeed, demoTokens, memoryStore, type Store } from '../../src/index.js';
import { webPages } from '../../src/web/web-pages.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape.
  readonly body: any;
}

export interface CallOptions {
  /** Sent as JSON, a string or bytes as they are, a form as multipart. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** By default `application/json`. */
  readonly accept?: string | null;
}

export interface Api {
  readonly store: Store;
  /** Calls as a demo user, without a token (`null`), or with any other secret. */
  call(who: string | null, method: string, path: string, options?: CallOptions): Promise<Answer>;
}

const secretOf = (who: string): string => (demoTokens as Readonly<Record<string, string>>)[who] ?? who;

const raw = (body: unknown): body is BodyInit =>
  typeof body === 'string' || body instanceof FormData || body instanceof Uint8Array || body instanceof ReadableStream;

type Problem = (what: string) => Error;

/** A test that reads `errors` of a response without them fails with the response. */
function withErrors<Body>(body: Body, problem: Problem): Body {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || 'errors' in body) return body;
  const get = () => {
    throw problem('errors');
  };
  return Object.defineProperty(body, 'errors', { enumerable: false, get });
}

/** Of a success without JSON: a test that reads a field of it fails with the response. */
const missingBody = (problem: Problem): object =>
  new Proxy(Object.create(null) as object, {
    get(_, name) {
      if (typeof name === 'symbol') return undefined;
      throw problem('JSON');
    },
  });

/** The app over the demo data, called in-process through its public door. */
export async function demoApi(options: Partial<AppOptions> = {}): Promise<Api> {
  const store = options.store ?? memoryStore();
  if (await store.isEmpty()) await store.load(demoSeed());
  const app = createApp({
    renderer: webPages(),
    clock: () => Date.parse('2026-06-01T12:00:00.750Z'),
    onError: (error) => console.error(error),
    ...options,
    store,
  });
  return {
    store,
    async call(who, method, path, { body, headers = {}, accept = 'application/json' } = {}) {
      const all: Record<string, string> = { ...headers };
      if (accept !== null) all.accept = accept;
      if (who !== null) all.authorization = `Bearer ${secretOf(who)}`;
      const init: RequestInit & { duplex?: 'half' } = { method, headers: all };
      if (body !== undefined) {
        init.body = raw(body) ? body : JSON.stringify(body);
        init.duplex = 'half';
        if (!raw(body)) all['content-type'] ??= 'application/json';
      }
      const response = await app.fetch(new Request(`http://localhost:4010${path}`, init));
      const text = await response.text();
      const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json');
      const { status } = response;
      const problem = (what: string) =>
        new Error(`${method} ${path} responded with ${status} and no ${what}: ${text.slice(0, 500) || '(empty)'}`);
      return {
        status,
        headers: response.headers,
        text,
        body: isJson ? withErrors(JSON.parse(text), problem) : status < 400 ? missingBody(problem) : null,
      };
    },
  };
}
