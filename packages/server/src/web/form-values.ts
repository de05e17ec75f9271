import {
  codesOnly,
  type Endpoint,
  type FieldKinds,
  hasKind,
  isBlank,
  kindsOf,
  problemOf,
  type RequestBody,
} from '@mkt/sdk/contract';
import { type FieldKind, fieldKind } from '../http/field-kind.js';
import { listParts, typedFields, ungrouped } from '../http/form-fields.js';
import { formObject } from '../http/wrapper.js';
import { briefHtml, hasTooMuchMarkdown, isHtml } from '../rules/brief-html.js';
import { invalid, RuleError } from '../rules/errors.js';
import { checkedFields, fieldsOf } from '../rules/fields.js';
import * as richText from '../rules/rich-text.js';
import { briefText } from './brief-text.js';
import type { PageContext } from './page-context.js';
import type { Item, PageDescription } from './page-descriptions.js';

export type Values = Readonly<Record<string, string>>;

/** The text of an input; empty if the form does not have it. */
export const textIn = (form: FormData | null, name: string): string => {
  const value = form?.get(name);
  return typeof value === 'string' ? value.trim() : '';
};

export const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.join(', ') : String(value);
};

/** The text of a field in a form: of a brief, Markdown. */
export const fieldText = (kinds: FieldKinds, name: string, value: unknown): string =>
  hasKind(kinds, name, 'richText') ? briefText(textOf(value)) : textOf(value);

/** The submitted texts. For a checkbox and its hidden field, the last one is used. */
export function valuesIn(form: FormData, request: RequestBody): Values {
  const sent = Object.entries(formObject(form, request)[request.wrapper] ?? {});
  const texts = sent.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const schemas = fieldsOf(request.fields);
  const textIn = (name: string, text: string): string => {
    const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
    return schema && fieldKind(schema).kind === 'integer' ? ungrouped(text) : text;
  };
  return Object.fromEntries(texts.map(([name, text]) => [name, isBlank(text) ? '' : textIn(name, text)]));
}

const tooMuchMarkdown =
  'Brief has more than 4,000 characters such as * and |, which Markdown uses. Use fewer, or write it as HTML.';

/** The brief in a form, which may be Markdown, as the API takes it; null if there is none. @throws 422 */
export function briefIn(form: FormData, { wrapper, fields }: RequestBody) {
  const text = form.get(`${wrapper}[brief]`);
  if (typeof text !== 'string') return null;
  const [tooLong] =
    fieldsOf(fields).brief?.safeParse(isHtml(text) ? briefHtml(text).html : text, codesOnly).error?.issues ?? [];
  if (tooLong) throw invalid('brief', problemOf(tooLong));
  if (hasTooMuchMarkdown(text)) throw invalid('brief', { code: 'sentence', sentence: tooMuchMarkdown });
  return briefHtml(text);
}

/** What the API would use for fields that are left out. */
export function defaultsOf({ organization }: PageContext, { defaults = {}, inherited = {} }: PageDescription): Item {
  if (organization === null) return defaults;
  const { ...values }: Item = organization;
  const own = Object.entries(inherited).map(([field, from = '']) => [field, values[from]]);
  return { ...defaults, ...Object.fromEntries(own) };
}

/** What a form says about the item that it was filled from. */
export interface FormVersion {
  readonly etag: string;
  /** A fingerprint of each value, as in a query. */
  readonly original: string;
  /** Those of what was stored, if the form was saved before. */
  readonly stored?: string;
  readonly picture: string;
  /** Empty if it has none. */
  readonly state: string;
}

/** A field that another user, or another tab, changed after the form was opened. */
export interface FieldChange {
  readonly saved: string;
  readonly submitted: string;
  /** Whether the form changed it too. */
  readonly isConflict: boolean;
}

/** The fingerprints that a form repeats. Those of the longest form take 2 KiB, so longer text is not ours. */
export const fingerprintsIn = (text: string): URLSearchParams => new URLSearchParams(text.slice(0, 4096));

/** Finds which fields of a form were changed since it was opened, without trusting the form to repeat the old values. */
export function formComparison(request: RequestBody, sha256: (text: string) => string) {
  const { fields } = request;
  const kinds = Object.entries(fieldsOf(fields)).map(([name, schema]) => [name, fieldKind(schema).kind] as const);
  const fingerprints = (textIn: (name: string) => string | undefined): URLSearchParams => {
    const found = new URLSearchParams();
    for (const [name, kind] of kinds) {
      const text = kind === 'flag' ? undefined : textIn(name);
      if (text === undefined) continue;
      const comparable = comparableText(hasKind(kindsOf(fields), name, 'richText'), kind, text);
      found.set(name, sha256(isBlank(comparable) ? '' : comparable).slice(0, 12));
    }
    return found;
  };
  const textIn = (item: Item, name: string): string => fieldText(kindsOf(fields), name, item[name]);
  const ofItem = (item: Item): URLSearchParams => fingerprints((name) => textIn(item, name));

  return {
    /** The fingerprints of values, as in a query. */
    fingerprintsOf: (values: Values): string => String(fingerprints((name) => values[name])),

    versionOf: (item: Item) => ({ original: String(ofItem(item)) }),

    /** Of fields that are as they were when the form was saved before, what was saved then; of the others, what it was opened with. */
    savedAsSent(form: FormData, opened: FormVersion, saved: FormVersion): FormVersion {
      const values = valuesIn(form, request);
      const [sentBefore, storedBefore] = [fingerprintsIn(saved.original), fingerprintsIn(saved.stored ?? '')];
      const [original, stored] = [fingerprintsIn(opened.original), fingerprintsIn(opened.original)];
      for (const [name, own] of fingerprints((name) => values[name])) {
        if (own !== sentBefore.get(name)) continue;
        original.set(name, own);
        stored.set(name, storedBefore.get(name) ?? own);
      }
      return { ...opened, original: String(original), stored: String(stored) };
    },

    /**
     * The names of the submitted fields that have the values of the original, and the fields that were changed elsewhere and
     * have another value than the form would store.
     */
    compare(form: FormData, { original, stored = original }: Pick<FormVersion, 'original' | 'stored'>, item: Item) {
      const values = valuesIn(form, request);
      const [before, storedBefore, now] = [fingerprintsIn(original), fingerprintsIn(stored), ofItem(item)];
      const unchanged: string[] = [];
      const changedElsewhere = new Map<string, FieldChange>();
      for (const [name, own] of fingerprints((name) => values[name])) {
        const isConflict = own !== before.get(name);
        if (!isConflict) unchanged.push(name);
        if ([own, storedBefore.get(name)].includes(now.get(name) ?? '')) continue;
        const both = [item, storedBy(form, request, name, values[name] ?? '')];
        let [saved = '', submitted = ''] = both.map((each) => textIn(each, name));
        // If only one of two briefs can be shown as Markdown, both are HTML.
        if (isHtml(saved) !== isHtml(submitted)) [saved = '', submitted = ''] = both.map((each) => textOf(each[name]));
        if (saved !== submitted) changedElsewhere.set(name, { saved, submitted, isConflict });
      }
      return { unchanged, changedElsewhere };
    },
  };
}

/** What a form would store of a field; the text itself if that is not valid. */
function storedBy(form: FormData, request: RequestBody, name: string, text: string): Item {
  try {
    const isBrief = hasKind(kindsOf(request.fields), name, 'richText') && !form.has('undo');
    const given = { [name]: isBrief ? briefIn(form, request)?.html : text };
    return checkedFields(request, typedFields(given, request.fields, false), richText);
  } catch (error) {
    if (error instanceof RuleError) return { [name]: text };
    throw error;
  }
}

/** Browsers change line breaks: in a text area to CRLF, in an input to nothing. */
function comparableText(isRichText: boolean, kind: FieldKind['kind'], text: string): string {
  if (isRichText) return text.replace(/\r\n?/g, '\n');
  return kind === 'list' ? listParts(text).join(',') : text.replace(/[\r\n]/g, '');
}

/** The path of the form page of a write, relative to the path that the form is sent to. */
export const formPath = (pathname: string, { method }: Pick<Endpoint, 'method'>): string =>
  `${pathname.replace(/\.json$/, '')}/${method === 'POST' ? 'new' : 'edit'}`;
