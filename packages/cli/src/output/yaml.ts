import { dump } from 'js-yaml';

/** Marks that reverse the direction of text: YAML allows them bare, a terminal may obey them. */
const UNSAFE = /[\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const options = { lineWidth: -1, noRefs: true };

/** YAML that YAML 1.1 readers understand too: `yes` and `no` are quoted. */
export function yamlText(value: unknown): string {
  const text = dump(value, options);
  if (!UNSAFE.test(text)) return text;
  // Only double quotes know escapes, so all text is put into them.
  return dump(value, { ...options, forceQuotes: true, quotingType: '"' }).replaceAll(
    new RegExp(UNSAFE, 'g'),
    (mark) => `\\u${mark.charCodeAt(0).toString(16)}`,
  );
}
