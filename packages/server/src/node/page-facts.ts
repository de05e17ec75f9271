import { Parser } from 'htmlparser2';

/** What a page says about itself, as it says it. */
export interface PageFacts {
  readonly title: string | null;
  readonly description: string | null;
  readonly image: string | null;
  /** Country codes that its hints name, the surest first; not yet checked. */
  readonly countries: readonly string[];
}

/** Open Graph first, then what search engines read. */
const titles = ['og:title', 'twitter:title'];
const descriptions = ['og:description', 'twitter:description', 'description'];
const images = ['og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image'];
const regions = ['geo.region', 'geo.country'];
const locales = ['og:locale', 'content-language'];

const isCode = (part: string): boolean => /^[A-Za-z]{2}$/.test(part);

/** `US` of the region `US-CA`. */
const countryOfRegion = (region: string): string | undefined => region.trim().split('-', 1).find(isCode);

/** `US` of the locale `en_US`, `CN` of `zh-Hans-CN`; of `en` none. */
const countryOfLocale = (locale: string): string | undefined => locale.trim().split(/[-_]/).slice(1).find(isCode);

/** The parser takes time that is quadratic in the depth, and it cannot be interrupted from outside. */
const maxDepth = 64;
const maxTags = 5000;

/** Reads what the tags of a page's head say, up to a bound of tags and depth. The first one of a name counts. */
export function pageFacts(html: string): PageFacts {
  let tags = 0;
  let depth = 0;
  const metas = new Map<string, string>();
  let language: string | null = null;
  let title: string | null = null;
  let inTitle = false;
  const parser = new Parser({
    onopentag(name, attributes) {
      tags += 1;
      depth += 1;
      if (name === 'body' || tags > maxTags || depth > maxDepth) parser.pause();
      if (name === 'html') language = attributes.lang ?? null;
      if (name === 'title' && title === null) {
        title = '';
        inTitle = true;
      }
      if (name !== 'meta' || attributes.content === undefined) return;
      const key = (attributes.property ?? attributes.name ?? attributes['http-equiv'] ?? '').toLowerCase();
      if (key !== '' && !metas.has(key)) metas.set(key, attributes.content);
    },
    ontext(text) {
      if (inTitle) title += text;
    },
    onclosetag(name) {
      depth -= 1;
      if (name === 'title') inTitle = false;
      if (name === 'head') parser.pause();
    },
  });
  parser.write(html);
  // Ends what the limit on bytes has cut off, unless the parser was paused: then it does nothing.
  parser.end();

  const first = (names: readonly string[]): string | null =>
    names.map((name) => plain(metas.get(name))).find((text) => text !== null) ?? null;
  const countries = [
    ...regions.map((name) => countryOfRegion(metas.get(name) ?? '')),
    ...locales.map((name) => countryOfLocale(metas.get(name) ?? '')),
    countryOfLocale(language ?? ''),
  ];
  return {
    title: first(titles) ?? plain(title ?? undefined),
    description: first(descriptions),
    image: first(images),
    countries: countries.flatMap((code) => code?.toUpperCase() ?? []),
  };
}

/** One line of text that every store can hold (D19); null for none. */
function plain(text: string | undefined): string | null {
  const line = (text ?? '')
    .replace(/[\0\p{Surrogate}]/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
  return line === '' ? null : line;
}
