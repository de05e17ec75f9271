import { pause } from './pause.js';

/** Long enough for headers and the first bytes to leave: what breaks at once is taken for an answer that never began. */
const beforeTheBreak = 50;
const tick = 50;

/** A body that breaks off after these bytes: by `hangUp`, or by an error where there is no connection to close. */
export function brokenOff(bytes: Uint8Array, hangUp: () => boolean): ReadableStream<Uint8Array> {
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
export function slowly(bytes: Uint8Array, bytesPerSecond: number, signal: AbortSignal): ReadableStream<Uint8Array> {
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
