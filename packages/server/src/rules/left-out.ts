import { withoutClutter } from './rich-text.js';

export const anyTag = /<\/?([a-z][\w:-]*)(?:\s(?:"[^"]*"|'[^']*'|[^<>"'])*)?\/?>|[<>]/gi;

/** Elements that show something although they have no text. */
const shown: Readonly<Record<string, string>> = { a: 'link', area: 'link', img: 'image' };
/** Those with a hyphen are attachments of editors such as Trix. */
const embedded =
  /^(?:audio|button|canvas|embed|form|iframe|input|math|meter|object|progress|select|svg|textarea|video|[a-z]+-[a-z-]+)$/;

/** How many of each there are in a brief, and its letters and digits. */
function contentOf(html: string) {
  const counts = new Map<string, number>();
  const text = withoutClutter(html)
    .replace(/<!\[?[a-z][^<>]*>/gi, '')
    .replace(anyTag, (written, name?: string) => {
      const tag = name?.toLowerCase() ?? '';
      // Apple Notes wraps tables in <object>.
      const isLinkless = /^(?:a|area|object)$/.test(tag) && !/\s(?:href|data)\s*=/i.test(written);
      const label = shown[tag] ?? (embedded.test(tag) ? `<${tag}>` : undefined);
      if (label !== undefined && !written.startsWith('</') && !isLinkless)
        counts.set(label, (counts.get(label) ?? 0) + 1);
      return '';
    });
  return { counts, text: text.replaceAll(/&#?\w+;|[^\p{L}\p{N}]/gu, '') };
}

/** What the service left out of a brief: `2 links`, `1 image`, `1 <iframe>`, `some text`; each by what it is, such as `link`. */
export function leftOut(sent: string, stored: string): ReadonlyMap<string, string> {
  const [before, after] = [contentOf(sent), contentOf(stored)];
  const parts = new Map<string, string>();
  for (const [label, count] of before.counts) {
    const missing = count - (after.counts.get(label) ?? 0);
    if (missing > 0) parts.set(label, `${missing} ${label}${missing === 1 || label.startsWith('<') ? '' : 's'}`);
  }
  return after.text.length < before.text.length ? parts.set('text', 'some text') : parts;
}
