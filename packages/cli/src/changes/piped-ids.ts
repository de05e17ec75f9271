import { usageError } from '../errors/cli-error.js';
import { isNumber } from '../lists/find.js';
import { isObject, parseJson } from '../text/json.js';
import { cellText, valueAt } from '../text/row.js';

const ONLY_IDS = "mkt ... list --jq '.[].id' | mkt ... -";

/** The ids of a line. The numbers in a table or in a name are not ids, even if campaigns have them. */
function idsOfLine(line: string): string[] {
  const words = line.split(/\s+/).filter((word) => word !== '');
  const numbers = words.filter(isNumber).length;
  if (/\S(?:\t| {2,})\S/.test(line) || (numbers > 0 && numbers < words.length))
    throw usageError('The piped text is a table or contains other words, not only ids.', ONLY_IDS);
  return words;
}

/** Ids separated by white space, or the output of a list as JSON or NDJSON. */
export function idsIn(text: string): string[] {
  if (!/^\s*[[{]/.test(text)) return text.split('\n').flatMap(idsOfLine);
  const value = parseJson(text);
  const items: readonly unknown[] = Array.isArray(value) ? value : text.trim().split('\n').map(parseJson);
  return items.map((item) => {
    const id = cellText(isObject(item) ? valueAt(item, 'id') : item);
    if (id !== '') return id;
    throw usageError('The piped JSON is not a list of objects with ids.', ONLY_IDS);
  });
}
