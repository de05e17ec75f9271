import diagnostics from 'node:diagnostics_channel';
import { version } from '../../package.json';
import type { Platform, TracedAttempt } from '../platform.js';

const channel = diagnostics.tracingChannel<unknown, TracedAttempt>('mkt:request');
const channels = [channel.start, channel.end, channel.asyncStart, channel.asyncEnd, channel.error];

export const platform: Platform = {
  env: (name) => process.env[name],
  userAgent: `mkt-sdk/${version}`,
  // https://github.com/denoland/deno/issues/35610
  repeatsPosts: 'Deno' in globalThis,
  trace: (attempt, run) =>
    channels.some(({ hasSubscribers }) => hasSubscribers) ? channel.tracePromise(run, attempt) : run(),
};
