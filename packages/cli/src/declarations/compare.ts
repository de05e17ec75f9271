import { hasKind } from '@mkt/sdk/contract/resources';
import { richText } from '@mkt/server/rich-text';
import { Parser } from 'htmlparser2';
import type { Resource } from '../api/labels.js';
import type { FieldChange } from '../changes/plan-lines.js';
import { escapeHtml } from '../text/html-text.js';
import { isSameJson, type Row, valueAt } from '../text/values.js';

/** Elements around which white space is invisible. */
const BLOCKS =
  'blockquote|br|dd|details|div|dl|dt|figcaption|figure|h[1-6]|hr|li|ol|p|pre|section|summary|table|tbody|td|th|thead|tr|ul';
const blockTag = new RegExp(` ?(</?(?:${BLOCKS})>) ?`, 'g');

/** Text in which every space counts: with spaces as entities, they are not collapsed. */
const exact = (text: string): string => escapeHtml(text).replaceAll(/\s/g, (space) => `&#${space.charCodeAt(0)};`);

/** Whether a bare `div` contains everything. */
function isWrapped(html: string): boolean {
  let depth = 0;
  for (const { 0: tag, index } of html.matchAll(/<\/?div>/g)) {
    depth += tag === '<div>' ? 1 : -1;
    if (depth === 0) return html.startsWith('<div>') && index + tag.length === html.length;
  }
  return false;
}

/**
 * A brief in canonical form, which is equal for briefs that look the same: entities as characters, attributes sorted,
 * white space as it is shown, without the `div` that rich text editors add around everything.
 */
function canonicalBrief(html: string): string {
  let text = '';
  let pre = 0;
  const parser = new Parser({
    onopentag: (name, attributes) => {
      if (name === 'pre') pre += 1;
      const sorted = Object.entries(attributes).sort(([one], [other]) => (one < other ? -1 : 1));
      text += `<${[name, ...sorted.map(([key, value]) => `${key}="${exact(value)}"`)].join(' ')}>`;
    },
    onclosetag: (name) => {
      if (name === 'pre') pre -= 1;
      text += `</${name}>`;
    },
    ontext: (part) => {
      text += pre > 0 ? exact(part) : escapeHtml(part);
    },
  });
  parser.end(html);
  let shown = text
    .replace(/[^\S\u00a0]+/g, ' ')
    .replace(blockTag, '$1')
    .replace(/^ | $/g, '');
  while (isWrapped(shown)) shown = shown.slice('<div>'.length, -'</div>'.length);
  return shown;
}

/** Lists are equal if they have the same values, in any order. */
const comparable = (value: unknown): unknown => {
  if (Array.isArray(value)) return JSON.stringify(value.map(String).sort());
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
};

/** Kinds of fields that the service may store in another form than it got them. */
const normalizers = {
  richText: (value: unknown) => (typeof value === 'string' ? canonicalBrief(richText(value)) || null : value),
  url: (value: unknown) => (typeof value === 'string' && URL.canParse(value) ? new URL(value).href : value),
};

/** Whether two values of a field mean the same, so that a second run finds no difference. */
export function isSame({ fields }: Resource, field: string, one: unknown, other: unknown): boolean {
  const kind = (['richText', 'url'] as const).find((each) => hasKind(fields, field, each));
  const normalize = kind ? normalizers[kind] : comparable;
  return one === other || normalize(one ?? null) === normalize(other ?? null);
}

/** Whether no one sets a field, because it follows from others or changes by itself. */
export const isUnset = ({ fields }: Resource, field: string): boolean =>
  (['derived', 'counter', 'identity'] as const).some((kind) => hasKind(fields, field, kind));

/** The fields that people set and in which two readings of a resource differ. */
export const changedFields = (resource: Resource, before: Row | undefined, now: Row | undefined): FieldChange[] =>
  [...new Set([...Object.keys(before ?? {}), ...Object.keys(now ?? {})])]
    .filter((field) => !isUnset(resource, field))
    .map((field) => ({ field, from: valueAt(before, field) ?? null, to: valueAt(now, field) ?? null }))
    .filter(({ from, to }) => !isSameJson(from, to));
