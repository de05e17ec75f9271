import type { Call } from '../http/exchange.js';
import { HttpError } from '../http/problems.js';
import { invalidFields } from '../rules/errors.js';
import type { FaultEffect } from './fault-rules.js';
import { pause } from './pause.js';
import { brokenOff, slowly } from './spoilt-bodies.js';

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
      brokenOff((await bytesOf(response)).slice(0, bytes), () => exchange.hangUp()),
    );

const slowBody =
  (bytesPerSecond: number): Spoil =>
  async (response, { exchange }) =>
    spoilt(response, slowly(await bytesOf(response), bytesPerSecond, exchange.request.signal));

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
export async function applied(given: FaultEffect, call: Call, cleared: AbortSignal): Promise<Response> {
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
