import { type Endpoint, isBlank, type RequestBody } from '@mkt/sdk/contract';
import { fieldKind } from '../http/form-fields.js';
import { formObject } from '../http/wrapper.js';
import { fieldsOf } from '../rules/fields.js';
import type { Item } from './resources.js';

export type Values = Readonly<Record<string, string>>;

/** The text of a value in a form. */
export const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.join(', ') : String(value);
};

/** The submitted texts. For a checkbox and its hidden field, the last one is used. */
export function valuesIn(form: FormData, request: RequestBody): Values {
  const sent = Object.entries(formObject(form, request)[request.wrapper] ?? {});
  const texts = sent.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(texts.map(([name, text]) => [name, isBlank(text) ? '' : text]));
}

/** What a form says about the item that it was filled from. */
export interface FormVersion {
  readonly etag: string;
  /** A fingerprint of each value, as in a query. */
  readonly original: string;
}

/** A field that another user, or another tab, changed after the form was opened. */
export interface FieldChange {
  readonly saved: string;
  readonly submitted: string;
  /** Whether the form changed it too. */
  readonly isConflict: boolean;
}

/** Finds which fields of a form were changed since it was opened, without trusting the form to repeat the old values. */
export class FormComparison {
  readonly #names: readonly string[];

  constructor(
    private readonly request: RequestBody,
    private readonly sha256: (text: string) => string,
  ) {
    this.#names = Object.entries(fieldsOf(request.fields))
      .filter(([, schema]) => fieldKind(schema).kind !== 'flag')
      .map(([name]) => name);
  }

  versionOf(item: Item, etag: string): FormVersion {
    const fingerprints = this.#names.map((name) => [name, this.#fingerprint(name, textOf(item[name]))]);
    return { etag, original: String(new URLSearchParams(fingerprints)) };
  }

  /** The names of the submitted fields that have the values of the original. */
  unchanged(values: Values, original: string): readonly string[] {
    const fingerprints = new URLSearchParams(original);
    return this.#names.filter((name) => {
      const value = values[name];
      return value !== undefined && this.#fingerprint(name, value) === fingerprints.get(name);
    });
  }

  /** The fields that were changed elsewhere, and have another value than the form. */
  changedElsewhere(values: Values, original: string, item: Item): ReadonlyMap<string, FieldChange> {
    const fingerprints = new URLSearchParams(original);
    const changes = new Map<string, FieldChange>();
    for (const name of this.#names) {
      const submitted = values[name];
      const saved = textOf(item[name]);
      if (submitted === undefined || this.#fingerprint(name, saved) === fingerprints.get(name)) continue;
      const own = this.#fingerprint(name, submitted);
      if (own === this.#fingerprint(name, saved)) continue;
      changes.set(name, { saved, submitted, isConflict: own !== fingerprints.get(name) });
    }
    return changes;
  }

  /** Browsers change line breaks: in a text area to CRLF, in an input to nothing. */
  #fingerprint(name: string, text: string): string {
    const schema = fieldsOf(this.request.fields)[name];
    const { kind } = schema ? fieldKind(schema) : { kind: 'text' };
    const comparable =
      name === 'brief'
        ? text.replace(/\r\n?/g, '\n')
        : kind === 'list'
          ? text
              .split(/[\s,]+/)
              .filter(Boolean)
              .join(',')
          : text.replace(/[\r\n]/g, '');
    return this.sha256(isBlank(comparable) ? '' : comparable).slice(0, 12);
  }
}

/** The path of the form page of a write, relative to the path that the form is sent to. */
export const formPath = (pathname: string, { method }: Pick<Endpoint, 'method'>): string =>
  `${pathname.replace(/\.json$/, '')}/${method === 'POST' ? 'new' : 'edit'}`;
