import type { Exchange } from '@mkt/server';
import type { FaultEffect, Patch } from './fault-rules.js';

// Faults that change a response. Loaded on demand, so it imports nothing: the bundler would make a chunk of what it shares with
// others.

type ResponseEffect = Exclude<FaultEffect, string | { status: number } | { hang: true } | { drop: true }>;
type Pause = (milliseconds: number, signals: readonly AbortSignal[]) => Promise<void>;

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

/** Changes a response that has a body. `pause` waits, or until a signal fires. */
export async function changedResponse(
  effect: ResponseEffect,
  response: Response,
  exchange: Exchange,
  pause: Pause,
): Promise<Response> {
  if ('truncate' in effect) {
    const bytes = (await bytesOf(response)).slice(0, effect.truncate);
    const stream = truncatedStream(bytes, () => exchange.closeConnection(), pause);
    // For interceptors that lose the error at the end.
    return Object.assign(withBody(response, stream), { breaksOff: true });
  }
  if ('slowBody' in effect)
    return withBody(response, throttle(await bytesOf(response), effect.slowBody, exchange.request.signal, pause));
  if ('malformed' in effect) {
    const text = await response.text();
    return withBody(response, text.slice(0, Math.ceil(text.length / 2)));
  }
  if ('wrongType' in effect)
    return withBody(response, portal, (headers) => {
      headers.set('content-type', 'text/html; charset=utf-8');
      headers.delete('etag');
    });
  if ('patch' in effect) return patched(effect.patch, response);
  return 'staleEtag' in effect ? notModified(response, exchange) : response;
}

/** Responds that the client's ETag is current. */
function notModified(response: Response, exchange: Exchange): Response {
  const tag = exchange.header('if-none-match')?.split(',', 1)[0]?.trim();
  const etag = tag === undefined || tag === '*' ? response.headers.get('etag') : tag;
  if (response.status !== 200 || etag === null || !response.headers.has('etag')) return response;
  return exchange.respond(304, null, { ETag: etag });
}

async function patched(patch: Patch, response: Response): Promise<Response> {
  if (!response.ok || !response.headers.get('content-type')?.startsWith('application/json')) return response;
  const json: object = await response.json();
  const replaced = (item: object) => ({ ...item, ...patch });
  const changed =
    typeof patch === 'function'
      ? (patch as (json: object) => unknown)(json)
      : Array.isArray(json)
        ? json.map(replaced)
        : replaced(json);
  return withBody(response, JSON.stringify(changed), (headers) => {
    // Otherwise the client would keep the patched JSON after a 304.
    headers.delete('etag');
    if (!Array.isArray(json) || !Array.isArray(changed) || json.length === changed.length) return;
    // A patch that adds or removes items makes the whole list.
    if (headers.has('total-count')) headers.set('total-count', String(changed.length));
    if (headers.has('total-pages')) headers.set('total-pages', '1');
  });
}

/** Enough for headers and the first bytes to be sent. Otherwise clients would see no response at all. */
const beforeTheBreak = 50;
const tick = 50;

/** A body that ends after these bytes: with `closeConnection`, or with an error if there is no connection to close. */
function truncatedStream(bytes: Uint8Array, closeConnection: () => boolean, pause: Pause): ReadableStream<Uint8Array> {
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
function throttle(bytes: Uint8Array, bytesPerSecond: number, signal: AbortSignal, pause: Pause) {
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
