import type { HeaderOptions } from '../options.js';

/** Later ones go before earlier ones, whatever the case of their names; `null` takes a header away. */
export function mergeHeaders(...given: (HeaderOptions | undefined)[]): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const headers of given) {
    // A `Headers` has no properties of its own: its values would be lost without a word.
    const entries = headers && Symbol.iterator in headers ? headers : Object.entries(headers ?? {});
    for (const [name, value] of entries) {
      const key = name.toLowerCase();
      if (value === null) delete merged[key];
      else if (value !== undefined) merged[key] = value;
    }
  }
  return merged;
}
