import { type FieldKinds, hasKind, kindsOf, type RequestBody } from '@mkt/sdk/contract';
import { fieldKind } from '../http/field-kind.js';
import { platformNames, typedParts } from '../http/form-fields.js';
import { type FieldErrors, fieldLabel } from '../rules/errors.js';
import { fieldsOf } from '../rules/fields.js';
import type { Values } from './form-values.js';
import { titleOf } from './pages/values.js';

const quoted = new Intl.ListFormat('en-GB', { type: 'conjunction' });

/** The messages of the API in words for people: they name the wrong value, and say what to type instead. */
export function messagesForPeople({ fields }: RequestBody, values: Values, errors: FieldErrors): FieldErrors {
  const shape = fieldsOf(fields);
  const kinds = kindsOf(fields);
  const messages = Object.entries(errors).map(([name, own]): [string, readonly string[]] => {
    const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
    const text = values[name] ?? '';
    const { kind } = schema ? fieldKind(schema) : { kind: 'text' };
    const wrong =
      schema && kind === 'list'
        ? typedParts(kinds, name, schema, text).flatMap(({ typed, isValid }) => (isValid ? [] : typed))
        : [text.trim()].filter(Boolean);
    return [name, own.map((message) => plainMessage(kinds, name, wrong, message))];
  });
  return Object.fromEntries(messages);
}

function plainMessage(kinds: FieldKinds, name: string, wrong: readonly string[], message: string): string {
  const isOne = wrong.length === 1;
  const these = `${quoted.format(wrong.map((text) => `"${text}"`))} ${isOne ? 'is' : 'are'} not`;
  if (wrong.length > 0) {
    if (hasKind(kinds, name, 'country') && /country code/.test(message))
      return `${these} ${isOne ? 'a country' : 'countries'}. Type names or two-letter codes, such as Germany or DE.`;
    if (/currency code/.test(message)) return `${these} a currency. Type its three-letter code, such as EUR.`;
    if (/must be lowercase letters/.test(message)) {
      const examples = hasKind(kinds, name, 'platform') ? Object.values(platformNames).join(' or ') : 'product';
      return `${these} possible here. Use letters, digits and hyphens, such as ${examples}.`;
    }
    if (/must be an http or https address/.test(message))
      return `${these} a web address. Type one such as acme.example or https://acme.example/sale.`;
    if (/must be an integer/.test(message)) return `${titleOf(name)} must be a whole number, such as 500.`;
  }
  const label = fieldLabel(name);
  return message.startsWith(`${label} `) ? titleOf(name) + message.slice(label.length) : message;
}
