import type { HeaderOptions } from '../options.js';

/** Later ones go before earlier ones, whatever the case of their names; `null` takes a header away. */
export function mergeHeaders(...given: (HeaderOptions | undefined)[]): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const headers of given) {
    for (const [name, value] of Object.entries(headers ?? {})) {
      const key = name.toLowerCase();
      if (value === null) delete merged[key];
      else if (value !== undefined) merged[key] = value;
    }
  }
  return merged;
}
