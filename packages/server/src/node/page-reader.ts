import { isCountry } from '../rules/codes.js';
import type { Image, Prefill } from '../rules/context.js';
import { invalid } from '../rules/errors.js';
import { imageType, maxImageBytes } from '../rules/images.js';
import { richText } from '../rules/rich-text.js';
import { FetchRefused, type GuardedFetch, guardedFetch } from './guarded-fetch.js';
import { pageFacts } from './page-facts.js';

export interface PageReaderOptions {
  /** `host:port` of what may be read although it is private: tests, intranets. */
  readonly allow?: readonly string[];
  /** For the page, its redirects and its picture together, in milliseconds; 5000 by default (D42). */
  readonly timeout?: number;
}

const maxPageBytes = 1024 * 1024;
/** What a page says about itself stands at its beginning. */
const parsedBytes = 64 * 1024;
/** What a name may have (D33), in code points. */
const maxNameLength = 255;
const maxBriefBytes = 64 * 1024;

/**
 * Reads what `?website=` names (D42): the page's own title, description, country and picture.
 * @returns a function that throws 422 on `website` for a page that cannot be read.
 */
export function pageReader({ allow = [], timeout = 5000 }: PageReaderOptions = {}) {
  const fetch = guardedFetch(allow);
  return async (address: string): Promise<Prefill> => {
    const signal = AbortSignal.timeout(timeout);
    try {
      const { url, type, bytes } = await fetch(address, {
        signal,
        maxBytes: maxPageBytes,
        accept: 'text/html, application/xhtml+xml',
        acceptsType: (type) => /^(text\/html|application\/xhtml\+xml)\b/.test(type),
      });
      const facts = pageFacts(decoded(bytes.subarray(0, parsedBytes), type));
      const country = facts.countries.find(isCountry);
      return {
        website: address,
        name: facts.title && [...facts.title].slice(0, maxNameLength).join(''),
        brief: facts.description && briefOf(facts.description),
        countries: country === undefined ? null : [country],
        image:
          facts.image && URL.canParse(facts.image, url)
            ? await picture(fetch, new URL(facts.image, url), signal)
            : null,
      };
    } catch (error) {
      if (!(error instanceof FetchRefused)) throw error;
      throw invalid('website', `Website cannot be read: ${error.message}.`);
    }
  };
}

/** A draft is worth having without its banner, so a picture that cannot be had is none. */
async function picture(fetch: GuardedFetch, { href }: URL, signal: AbortSignal): Promise<Image | null> {
  try {
    const { bytes } = await fetch(href, {
      signal,
      maxBytes: maxImageBytes,
      accept: 'image/*',
      acceptsType: () => true,
    });
    const type = imageType(bytes);
    return type === null ? null : { type, bytes };
  } catch (error) {
    if (error instanceof FetchRefused) return null;
    throw error;
  }
}

/** The page's text in the encoding that its header or its head names; UTF-8 where that is none. */
function decoded(bytes: Uint8Array, type: string): string {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 1024));
  const label =
    /charset\s*=\s*["']?([\w:-]+)/i.exec(type)?.[1] ?? /<meta[^>]+charset\s*=\s*["']?([\w:-]+)/i.exec(head)?.[1];
  try {
    return new TextDecoder(label ?? 'utf-8').decode(bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return new TextDecoder().decode(bytes);
  }
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A description is text: it becomes one paragraph. */
function briefOf(description: string): string {
  const room = Math.floor(maxBriefBytes / 8);
  const text = [...description].slice(0, room).join('');
  return richText(`<p>${text.replace(/[&<>]/g, (character) => escapes[character] as string)}</p>`);
}
