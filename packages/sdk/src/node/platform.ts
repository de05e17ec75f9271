import diagnostics from 'node:diagnostics_channel';
import { version } from '../../package.json';
import type { Body } from '../transport/body.js';
import type { Platform, TracedAttempt } from '../transport/platform.js';

const channel = diagnostics.tracingChannel<unknown, TracedAttempt>('mkt:request');
const channels = [channel.start, channel.end, channel.asyncStart, channel.asyncEnd, channel.error];

/** Piped, since Deno recognizes the stream of a body that it has in memory. */
const streamed = (body: Body): Body => (new Response(body).body as ReadableStream).pipeThrough(new TransformStream());

export const platform: Platform = {
  env: (name) => process.env[name],
  userAgent: `mkt-sdk/${version}`,
  // Deno repeats a POST whose connection broke, although the server may have received it; not one with a stream:
  // https://github.com/denoland/deno/issues/35610
  postBody: 'Deno' in globalThis ? streamed : undefined,
  trace: (attempt, run) =>
    channels.some(({ hasSubscribers }) => hasSubscribers) ? channel.tracePromise(run, attempt) : run(),
};
