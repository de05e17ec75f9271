import type { Call } from '../http/exchange.js';
import { HttpError } from '../http/problems.js';
import { invalidFields } from '../rules/errors.js';
import type { FaultEffect } from './fault-rules.js';

type Spoil = (response: Response, call: Call) => Promise<Response> | Response;

const spoilt = (
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
  (bytes: number): Spoil =>
  async (response, { exchange }) =>
    spoilt(
      response,
      truncatedStream((await bytesOf(response)).slice(0, bytes), () => exchange.hangUp()),
    );

const slowBody =
  (bytesPerSecond: number): Spoil =>
  async (response, { exchange }) =>
    spoilt(response, throttle(await bytesOf(response), bytesPerSecond, exchange.request.signal));

const malformed: Spoil = async (response) => {
  const text = await response.text();
  return spoilt(response, text.slice(0, Math.ceil(text.length / 2)));
};

const wrongType: Spoil = (response) =>
  spoilt(response, portal, (headers) => {
    headers.set('content-type', 'text/html; charset=utf-8');
    headers.delete('etag');
  });

/** The tag that the client sent is said to be the current one. */
const staleEtag: Spoil = (response, { exchange }) => {
  const tag = exchange.header('if-none-match')?.split(',', 1)[0]?.trim();
  const etag = tag === undefined || tag === '*' ? response.headers.get('etag') : tag;
  if (response.status !== 200 || etag === null || !response.headers.has('etag')) return response;
  return exchange.respond(304, null, { ETag: etag });
};

const spoilBody = async (call: Call, spoil: Spoil): Promise<Response> => {
  const response = await call.answer();
  const bodiless = response.type === 'error' || [204, 303, 304].includes(response.status);
  return bodiless || call.exchange.method === 'HEAD' ? response : spoil(response, call);
};

function refusal({ status, retryAfter, message, errors }: Extract<FaultEffect, { status: number }>): Error {
  const said = message ?? `This is a fault on demand: the request was refused with ${status}.`;
  if (status === 422) return invalidFields(errors ?? { base: [said] });
  return new HttpError(status, said, {
    ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
    // Every 401 says which scheme it wants (D8).
    ...(status === 401 ? { 'WWW-Authenticate': 'Token realm="Application"' } : {}),
  });
}

/** Does to a request what a fault asks for. `cleared` fires when faults are cleared. */
export async function applyEffect(given: FaultEffect, call: Call, cleared: AbortSignal): Promise<Response> {
  const effect = typeof given === 'string' ? ({ [given]: true } as Exclude<FaultEffect, string>) : given;
  const { exchange } = call;
  if ('status' in effect) return call.refuse(refusal(effect));
  if ('delay' in effect) {
    await pause(effect.delay, [exchange.request.signal]);
    return call.answer();
  }
  if ('hang' in effect) {
    await pause(Number.POSITIVE_INFINITY, [exchange.request.signal, cleared]);
    return exchange.drop();
  }
  if ('drop' in effect) return exchange.drop();
  if ('truncate' in effect) return spoilBody(call, truncate(effect.truncate));
  if ('slowBody' in effect) return spoilBody(call, slowBody(effect.slowBody));
  if ('malformed' in effect) return spoilBody(call, malformed);
  if ('wrongType' in effect) return spoilBody(call, wrongType);
  return spoilBody(call, staleEtag);
}

/** Long enough for headers and the first bytes to leave: what breaks at once is taken for an answer that never began. */
const beforeTheBreak = 50;
const tick = 50;

/** A body that breaks off after these bytes: by `hangUp`, or by an error where there is no connection to close. */
function truncatedStream(bytes: Uint8Array, hangUp: () => boolean): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        if (bytes.length > 0) controller.enqueue(bytes);
        await pause(beforeTheBreak, []);
        if (!hangUp())
          controller.error(new Error('The connection broke in the middle of the body: a fault on demand.'));
      },
    },
    { highWaterMark: 0 },
  );
}

/** A body that arrives bit by bit, until the client gives up. */
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

/** The longest delay that timers take: a longer pause takes several. */
const longest = 2 ** 31 - 1;

/**
 * Waits `milliseconds`, or until one of the signals fires. It never rejects.
 * The timer keeps a Node process alive: a test that waits for an answer that never comes must not end as if it had passed.
 */
function pause(milliseconds: number, signals: readonly AbortSignal[]): Promise<void> {
  if (signals.some(({ aborted }) => aborted)) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', end);
      resolve();
    };
    let timer: ReturnType<typeof setTimeout>;
    const wait = (left: number): void => {
      timer = setTimeout(() => (left > longest ? wait(left - longest) : end()), Math.min(left, longest));
    };
    wait(milliseconds);
    for (const signal of signals) signal.addEventListener('abort', end, { once: true });
  });
}
