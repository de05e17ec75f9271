import { Document, type Scalar, visit } from 'yaml';
import { escapeUnsafe, UNSAFE } from './values.js';

/** Text that needs double quotes, because a terminal or a parser of YAML 1.1 would misread it. */
const QUOTED = new RegExp(`[\\t${UNSAFE}]|^=$`);

/** Quotes text that a parser of YAML 1.1 would not read as text: `yes`, `no`, dates. */
const options = {
  compat: 'yaml-1.1',
  singleQuote: true,
  lineWidth: 0,
  aliasDuplicateObjects: false,
  // The library loses a line that has only a space when it breaks quoted text into lines.
  doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
} as const;

export function yamlText(value: unknown): string {
  const document = new Document(value, options);
  visit(document, {
    Scalar(_key, scalar: Scalar) {
      if (typeof scalar.value === 'string' && QUOTED.test(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return escapeUnsafe(document.toString(options));
}
