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

/** Reads what a page's tags say. The first one of a name counts. */
export function pageFacts(html: string): PageFacts {
  const metas = new Map<string, string>();
  let language: string | null = null;
  let title: string | null = null;
  let inTitle = false;
  const parser = new Parser({
    onopentag(name, attributes) {
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
      if (name === 'title') inTitle = false;
    },
  });
  parser.end(html);

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
