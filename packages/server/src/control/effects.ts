import type { PendingRequest } from '../http/exchange.js';
import { HttpError } from '../http/problems.js';
import { invalidFields } from '../rules/errors.js';
import type { Fault, FaultEffect, Milliseconds, Patch } from './fault-rules.js';

type ChangeResponse = (response: Response, request: PendingRequest) => Promise<Response> | Response;

/** The part of 1 that spreads delays evenly: the n-th multiple of the golden ratio. */
const spread = (n: number): number => (n * 0.618_033_988_749_895) % 1;

/** The milliseconds of the n-th delay. */
export const nthDelay = (delay: Milliseconds, n: number): number =>
  typeof delay === 'number' ? delay : Math.round(delay[0] + (delay[1] - delay[0]) * spread(n));

const withBody = (
  { status, statusText, headers }: Response,
  body: BodyInit,
  change: (headers: Headers) => void = () => undefined,
) => {
  const changed = new Headers([...headers]);
  changed.delete('content-length');
  change(changed);
  return new Response(body, { status, statusText, headers: changed });
};

const bytesOf = async (response: Response): Promise<Uint8Array> => new Uint8Array(await response.arrayBuffer());

const portal = '<!doctype html><title>Welcome</title><p>Sign in to this network to go on.</p>';

const truncate =
  (bytes: number): ChangeResponse =>
  async (response, { exchange }) =>
    withBody(
      response,
      truncatedStream((await bytesOf(response)).slice(0, bytes), () => exchange.closeConnection()),
    );

const slowBody =
  (bytesPerSecond: number): ChangeResponse =>
  async (response, { exchange }) =>
    withBody(response, throttle(await bytesOf(response), bytesPerSecond, exchange.request.signal));

const malformed: ChangeResponse = async (response) => {
  const text = await response.text();
  return withBody(response, text.slice(0, Math.ceil(text.length / 2)));
};

const wrongType: ChangeResponse = (response) =>
  withBody(response, portal, (headers) => {
    headers.set('content-type', 'text/html; charset=utf-8');
    headers.delete('etag');
  });

/** Responds that the client's ETag is current. */
const staleEtag: ChangeResponse = (response, { exchange }) => {
  const tag = exchange.header('if-none-match')?.split(',', 1)[0]?.trim();
  const etag = tag === undefined || tag === '*' ? response.headers.get('etag') : tag;
  if (response.status !== 200 || etag === null || !response.headers.has('etag')) return response;
  return exchange.respond(304, null, { ETag: etag });
};

const patched =
  (patch: Patch): ChangeResponse =>
  async (response) => {
    if (!response.ok || !response.headers.get('content-type')?.startsWith('application/json')) return response;
    const json: object = await response.json();
    const replaced = (item: object) => ({ ...item, ...patch });
    const changed =
      typeof patch === 'function'
        ? (patch as (json: object) => unknown)(json)
        : Array.isArray(json)
          ? json.map(replaced)
          : replaced(json);
    // Otherwise the client would keep the patched JSON after a 304.
    return withBody(response, JSON.stringify(changed), (headers) => headers.delete('etag'));
  };

const changeBody = async (request: PendingRequest, change: ChangeResponse): Promise<Response> => {
  const response = await request.respond();
  const bodiless = response.type === 'error' || [204, 303, 304].includes(response.status);
  return bodiless || request.exchange.method === 'HEAD' ? response : change(response, request);
};

function rejection({ status, retryAfter, message, errors }: Extract<FaultEffect, { status: number }>): Error {
  const text = message ?? `This is an injected fault: the request was rejected with ${status}.`;
  if (status === 422) return invalidFields(errors ?? { base: [text] });
  return new HttpError(status, text, {
    ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
    // Every 401 names the authentication scheme (D8).
    ...(status === 401 ? { 'WWW-Authenticate': 'Token realm="Application"' } : {}),
  });
}

const shortForms: Readonly<Record<Extract<FaultEffect, string>, Exclude<FaultEffect, string>>> = {
  hang: { hang: true },
  drop: { drop: true },
  malformed: { malformed: true },
  wrongType: { wrongType: true },
  staleEtag: { staleEtag: true },
};

/** Applies a fault to a request. `cleared` aborts when faults are cleared. */
export async function applyEffect(
  { effect: given, hits }: Fault,
  request: PendingRequest,
  cleared: AbortSignal,
): Promise<Response> {
  const effect = typeof given === 'string' ? shortForms[given] : given;
  const { exchange } = request;
  const { signal } = exchange.request;
  if (effect.delay !== undefined) await pause(nthDelay(effect.delay, hits), [signal]);
  if ('status' in effect) return request.reject(rejection(effect));
  if ('hang' in effect) {
    await pause(Number.POSITIVE_INFINITY, [signal, cleared]);
    return exchange.drop();
  }
  if ('drop' in effect) return exchange.drop();
  if ('truncate' in effect) return changeBody(request, truncate(effect.truncate));
  if ('slowBody' in effect) return changeBody(request, slowBody(effect.slowBody));
  if ('malformed' in effect) return changeBody(request, malformed);
  if ('wrongType' in effect) return changeBody(request, wrongType);
  if ('patch' in effect) return changeBody(request, patched(effect.patch));
  return 'staleEtag' in effect ? changeBody(request, staleEtag) : request.respond();
}

/** Enough for headers and the first bytes to be sent. Otherwise clients would see no response at all. */
const beforeTheBreak = 50;
const tick = 50;

/** A body that ends after these bytes: with `closeConnection`, or with an error if there is no connection to close. */
function truncatedStream(bytes: Uint8Array, closeConnection: () => boolean): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        if (bytes.length > 0) controller.enqueue(bytes);
        await pause(beforeTheBreak, []);
        if (!closeConnection())
          controller.error(
            // As Node's fetch does.
            new TypeError('terminated', {
              cause: Object.assign(new Error('An injected fault closed the connection.'), { code: 'UND_ERR_SOCKET' }),
            }),
          );
      },
    },
    { highWaterMark: 0 },
  );
}

/** A body that arrives slowly, until the client gives up. */
function throttle(bytes: Uint8Array, bytesPerSecond: number, signal: AbortSignal): ReadableStream<Uint8Array> {
  const step = Math.max(1, Math.floor((bytesPerSecond * tick) / 1000));
  const wait = Math.max(tick, (step * 1000) / bytesPerSecond);
  let sent = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        if (sent > 0) await pause(wait, [signal]);
        if (signal.aborted) return controller.error(signal.reason);
        controller.enqueue(bytes.slice(sent, sent + step));
        sent += step;
        if (sent >= bytes.length) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

/** The maximum delay of a timer: 24 days. */
const longest = 2 ** 31 - 1;

/**
 * Waits `milliseconds`, or until one of the signals fires. It never rejects.
 * The timer keeps a Node process alive: a test that waits for a missing response must not end as if it had passed.
 */
export function pause(milliseconds: number, signals: readonly AbortSignal[]): Promise<void> {
  if (signals.some(({ aborted }) => aborted)) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(milliseconds, longest));
    for (const signal of signals) signal.addEventListener('abort', end, { once: true });
  });
}
