import { maxImageBytes } from '@mkt/sdk/contract';
import { Parser } from 'htmlparser2';
import { nextTurn } from '../pieces.js';
import type { Image, Prefill } from '../rules/context.js';
import { invalid } from '../rules/errors.js';
import { isCountry } from '../rules/fields.js';
import { imageFrom } from '../rules/images.js';
import { richText } from '../rules/rich-text.js';
import { FetchError, type FetchLimits, type GuardedFetch, guardedFetch } from './guarded-fetch.js';

export interface PageReaderOptions {
  /** `host:port` of private hosts that may be read: for tests and intranets. */
  readonly allow?: readonly string[];
  /** Milliseconds for the page, its redirects and its image together. @default 5000 */
  readonly timeout?: number;
}

/** A page's metadata is at its start. */
const maxHeadBytes = 1024 * 1024;
/** Many attributes of one tag would take the parser long. */
const longTag = /<[^<>]{65536,}/g;
/** How many of the images that a page names are tried. */
const maxImages = 3;
/** The parser's time is quadratic in the depth, and it cannot be interrupted from outside. */
const maxDepth = 64;
const maxTags = 5000;
/** Characters that are parsed at once: in the worst pages, a few milliseconds. */
const pieceLength = 64 * 1024;
/** The limit of a name in code points. */
const maxNameLength = 255;
/** In characters. Each takes at most 5 bytes in the brief, whose limit is 64 KiB. */
const maxDescriptionLength = 8192;

type Steps = Pick<FetchLimits, 'signal' | 'pause'>;

/**
 * Reads the page that `?website=` names: its own title, description, country and image.
 * @returns a function that throws 422 on `website` for a page that cannot be read
 */
export function pageReader({ allow = [], timeout = 5000 }: PageReaderOptions = {}) {
  const fetch = guardedFetch(allow);
  /** @param pause lets others go on before each step of the work on what arrived */
  return async (address: string, pause: () => Promise<void> = nextTurn): Promise<Prefill> => {
    const steps = { signal: AbortSignal.timeout(timeout), pause };
    try {
      const { url, type, bytes } = await fetch(address, {
        ...steps,
        maxBytes: maxHeadBytes,
        cuts: true,
        compressed: true,
        accept: 'text/html, application/xhtml+xml',
        acceptsType: (type) => /^(text\/html|application\/xhtml\+xml)\b/.test(type),
      });
      const { title, description, images, countries } = await factsOf(decode(bytes, type).replace(longTag, ''), pause);
      const country = countries.find(isCountry);
      return {
        website: address,
        name: title && [...title].slice(0, maxNameLength).join(''),
        brief: description && briefOf(description),
        countries: country === undefined ? null : [country],
        image: await firstImage(fetch, images, url, steps),
      };
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      throw invalid('website', { code: 'unreadable', reason: `: ${error.message}` });
    }
  };
}

/** The first that can be read. */
async function firstImage(fetch: GuardedFetch, images: readonly string[], page: URL, steps: Steps) {
  for (const address of images.slice(0, maxImages)) {
    const image = URL.canParse(address, page) ? await readImage(fetch, new URL(address, page), steps) : null;
    if (image !== null) return image;
  }
  return null;
}

/** Null if it cannot be read, because a draft is useful without its banner. */
async function readImage(fetch: GuardedFetch, { href }: URL, steps: Steps): Promise<Image | null> {
  try {
    const { bytes } = await fetch(href, {
      ...steps,
      maxBytes: maxImageBytes,
      compressed: false,
      accept: 'image/*',
      acceptsType: () => true,
    });
    const image = await imageFrom(bytes);
    return 'code' in image ? null : image;
  } catch (error) {
    if (error instanceof FetchError) return null;
    throw error;
  }
}

const characters = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
const windows1252 = (control: string): string => characters[control.charCodeAt(0) - 0x80] ?? control;

/** Decodes a page from the encoding in its header or its head, otherwise from UTF-8. */
function decode(bytes: Uint8Array, type: string): string {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 1024));
  const charset = /charset\s*=\s*["']?([\w:-]+)/i;
  const label = charset.exec(type)?.[1] ?? /<meta[^>]+charset\s*=\s*["']?([\w:-]+)/i.exec(head)?.[1];
  try {
    const decoder = new TextDecoder(label);
    const text = decoder.decode(bytes);
    // Node 20 leaves these as control characters.
    return decoder.encoding === 'windows-1252' ? text.replace(/[\x80-\x9f]/g, windows1252) : text;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return new TextDecoder().decode(bytes);
  }
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A paragraph with the description, which is plain text. */
function briefOf(description: string): string {
  const text = [...description].slice(0, maxDescriptionLength).join('');
  return richText(`<p>${text.replace(/[&<>]/g, (character) => escapes[character] as string)}</p>`);
}

const isCode = (part: string): boolean => /^[A-Za-z]{2}$/.test(part);
/** `US` for the region `US-CA`. */
const countryOfRegion = (region = ''): string | undefined => region.trim().split('-', 1).find(isCode);
/** `US` for the locale `en_US`, `CN` for `zh-Hans-CN`. */
const countryOfLocale = (locale = ''): string | undefined => locale.trim().split(/[-_]/).slice(1).find(isCode);

/** The tags with images, the surest first. */
const imageNames: ReadonlySet<string> = new Set(['og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image']);

/** Reads the head of a page. Of tags with the same name the first one counts; Open Graph precedes other tags. */
async function factsOf(html: string, pause: () => Promise<void>) {
  let isRead = false;
  let tags = 0;
  let depth = 0;
  const metas = new Map<string, string>();
  const images = new Set<string>();
  let language: string | undefined;
  let title: string | undefined;
  let isInTitle = false;
  const parser = new Parser({
    onopentag(name, attributes) {
      tags += 1;
      depth += 1;
      if (name === 'body' || tags > maxTags || depth > maxDepth) stop();
      if (name === 'html') language = attributes.lang;
      if (name === 'title' && title === undefined) {
        title = '';
        isInTitle = true;
      }
      if (name !== 'meta' || attributes.content === undefined) return;
      const key = (attributes.property ?? attributes.name ?? attributes['http-equiv'] ?? '').toLowerCase();
      if (key !== '' && !metas.has(key)) metas.set(key, attributes.content);
      if (imageNames.has(key) && attributes.content.trim() !== '') images.add(attributes.content.trim());
    },
    ontext(text) {
      if (isInTitle) title += text;
    },
    onclosetag(name) {
      depth -= 1;
      if (name === 'title') isInTitle = false;
      if (name === 'head') stop();
    },
  });
  const stop = (): void => {
    isRead = true;
    parser.pause();
  };
  for (let start = 0; start < html.length && !isRead; start += pieceLength) {
    if (start > 0) await pause();
    parser.write(html.slice(start, start + pieceLength));
  }
  // Parses a tag that the limit on bytes has cut off. A paused parser ignores it.
  parser.end();

  const first = (...names: string[]): string | null =>
    names.map((name) => oneLine(metas.get(name))).find((text) => text !== null) ?? null;
  const countries = [
    countryOfRegion(metas.get('geo.region')),
    countryOfRegion(metas.get('geo.country')),
    countryOfLocale(metas.get('og:locale')),
    countryOfLocale(metas.get('content-language')),
    countryOfLocale(language),
  ];
  return {
    title: first('og:title', 'twitter:title') ?? oneLine(title),
    description: first('og:description', 'twitter:description', 'description'),
    images: [...new Set([first(...imageNames) ?? [], ...images].flat())],
    countries: countries.flatMap((code) => code?.toUpperCase() ?? []),
  };
}

/** One line of text that every store can save, or null if there is none. */
function oneLine(text = ''): string | null {
  const line = text
    .replace(/[\0\p{Surrogate}]/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
  return line === '' ? null : line;
}
