import type { Exchange } from '../http/exchange.js';
import type { Flash } from './flash.js';

/** Where a browser goes after a successful write, and the message that it sees there. */
export interface AfterWrite {
  readonly to: string;
  readonly flash: Flash;
}

/** In milliseconds; double clicks are faster. Afterwards the result and any secret in it are removed. */
const maxAge = 60_000;
const maxForms = 1000;

/**
 * Forms that have created something. Without scripts, double clicks cannot be prevented, and a form that is sent twice must
 * create only one resource (D85). Each form has a unique id and belongs to one session.
 */
export function formReplayCache(sha256: (text: string) => string) {
  /** The result of each form, once available; null if it created nothing. */
  const results = new Map<string, Promise<AfterWrite | null>>();

  return {
    /** The previous or pending result of this form, whose CSRF token the caller has checked; otherwise that of `create`. */
    async once(exchange: Exchange, form: FormData, create: () => Promise<AfterWrite>): Promise<AfterWrite> {
      if (!form.has('form_id')) return create();
      // Includes all values: a user who goes back and changes the form wants to create something else.
      const fields = [...form].map(([name, value]) => [name, typeof value === 'string' ? value : value.size]);
      const key = sha256(JSON.stringify([exchange.url.href, fields]));
      for (let before = results.get(key); before; before = results.get(key)) {
        const result = await before;
        if (result) return result;
      }
      const [oldest] = results.keys();
      if (results.size >= maxForms && oldest !== undefined) results.delete(oldest);
      const created = create();
      const result = created.catch(() => null);
      results.set(key, result);
      // Does not keep a stopping server alive.
      if (await result) setTimeout(() => results.delete(key), maxAge).unref();
      else results.delete(key);
      return created;
    },

    /** After the data was replaced, created resources may no longer exist. */
    forget: (): void => results.clear(),
  };
}
