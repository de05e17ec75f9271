import { sanitizeLine } from '../text/sanitize.js';

/**
 * What a service says of a field, to be read beside the field's name: `Cpm amount must be positive` beside `cpm_amount`
 * would name it twice. A sentence that begins otherwise stays as it is.
 */
export function fieldMessage(field: string, message: string): string {
  const text = sanitizeLine(message);
  const words = field.replaceAll('_', ' ').toLowerCase();
  for (const name of [words, words.replace(/ ids?$/, '')]) {
    const rest = text.slice(name.length);
    if (text.toLowerCase().startsWith(name) && /^ [a-z]/.test(rest)) return rest.trimStart();
  }
  return text;
}
