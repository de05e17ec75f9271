import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { imageType, maxImageBytes } from '@mkt/sdk/contract';
import { placeholder } from '../../declarations/twin/rows.js';
import type { JsonObject } from '../../text/json.js';

const attempts = 4;
const timeout = 60_000;
const longestWait = 300;

export interface TwinImage {
  readonly type: string;
  readonly bytes: Buffer;
}

const dataUrl = ({ type, bytes }: TwinImage): string => `data:${type};base64,${bytes.toString('base64')}`;

/** The key of the image at a URL in the copy: the same each time. */
const imageKey = (url: string, owner: string): string =>
  createHash('sha256').update(`${owner} ${url}`).digest('base64url').slice(0, 22);

/** Copies images of the service. They are readable without a token, and may be on another host: no token is sent. */
export class Images {
  /** How many could not be copied. */
  failed = 0;
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** The fields of a seed for the image at a URL; one pixel if it cannot be copied. */
  async fields(name: 'logo' | 'banner_image', url: unknown, owner: string): Promise<JsonObject> {
    if (typeof url !== 'string') return {};
    const image = await this.read(url);
    if (image === undefined) this.failed += 1;
    return { [name]: image === undefined ? placeholder : dataUrl(image), [`${name}_key`]: imageKey(url, owner) };
  }

  /** The image at a URL; undefined if it cannot be read. */
  async read(url: string): Promise<TwinImage | undefined> {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return undefined;
    for (let attempt = 1; ; attempt += 1) {
      const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(timeout)]);
      try {
        const response = await fetch(url, { signal });
        const seconds = Number(response.headers.get('retry-after') ?? 1);
        if ([429, 502, 503, 504].includes(response.status) && attempt < attempts && seconds <= longestWait) {
          await response.body?.cancel();
          await wait(seconds * 1000, undefined, { signal: this.#signal });
          continue;
        }
        return response.ok ? await imageIn(response) : undefined;
      } catch (error) {
        if (this.#signal.aborted) throw error;
        return undefined;
      }
    }
  }
}

async function imageIn({ body }: Response): Promise<TwinImage | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > maxImageBytes) return undefined;
    parts.push(part);
  }
  const bytes = Buffer.concat(parts);
  const type = imageType(bytes);
  return type === null ? undefined : { type, bytes };
}
