import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { imageType, maxImageBytes } from '@mkt/sdk/contract';
import { longestWaitMs, tooManyRequests } from '../../api/http/retries.js';
import type { Context } from '../../context/context.js';
import { placeholder } from '../../declarations/twin/rows.js';
import { CliError } from '../../errors/cli-error.js';
import type { JsonObject } from '../../text/values.js';

const attempts = 4;
const timeout = 60_000;

/** Copies images of the service. They are readable without a token, and may be on another host: no token is sent. */
export class Images {
  failed = 0;

  constructor(readonly context: Context) {}

  /** The fields of a seed for the image at a URL; one pixel if it cannot be copied. */
  async fields(name: 'logo' | 'banner_image', url: unknown, owner: string): Promise<JsonObject> {
    if (typeof url !== 'string') return {};
    const image = await this.#read(url);
    if (image === undefined) this.failed += 1;
    // The same each time.
    const key = createHash('sha256').update(`${owner} ${url}`).digest('base64url').slice(0, 22);
    return { [name]: image ?? placeholder, [`${name}_key`]: key };
  }

  /** The image at a URL as a data URL; undefined if it cannot be read. */
  async #read(url: string): Promise<string | undefined> {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return undefined;
    const { interrupted } = this.context.io;
    for (let attempt = 1; ; attempt += 1) {
      const signal = AbortSignal.any([interrupted, AbortSignal.timeout(timeout)]);
      try {
        const { status, ok, headers, body } = await fetch(url, { signal });
        if (ok) return await imageIn(body);
        await body?.cancel();
        const delayMs = Number(headers.get('retry-after') ?? 1) * 1000;
        const isLimit = status === 429;
        const isTooLong = delayMs > longestWaitMs(this.context);
        if (isLimit && isTooLong) throw new CliError(tooManyRequests(delayMs, this.context.io));
        if (!isLimit && (isTooLong || attempt >= attempts || ![502, 503, 504].includes(status))) return undefined;
        if (isLimit) this.context.countDown('Too many requests.', delayMs);
        await wait(delayMs, undefined, { signal: interrupted });
      } catch (error) {
        if (interrupted.aborted || error instanceof CliError) throw error;
        return undefined;
      }
    }
  }
}

async function imageIn(body: Response['body']): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > maxImageBytes) return undefined;
    parts.push(part);
  }
  const bytes = Buffer.concat(parts);
  const type = imageType(bytes);
  return type === null ? undefined : `data:${type};base64,${bytes.toString('base64')}`;
}
