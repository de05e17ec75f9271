import type { Exchange } from '../http/exchange.js';
import type { Flash } from './flash.js';

/** Where a form was redirected to, and the flash message. */
interface CreatedResponse {
  readonly to: string;
  readonly flash: Flash;
}

/** In milliseconds; double clicks are faster. Afterwards the response and any secret in it are removed. */
const maxAge = 60_000;
const maxForms = 1000;

/**
 * Forms that have created something. Without scripts, double clicks cannot be prevented, and a form that is sent twice must
 * create only one resource (D85). Each form has a unique id and belongs to one session.
 */
export function formReplayCache(sha256: (text: string) => string) {
  /** The response to each form, once available; null if it created nothing. */
  const responses = new Map<string, Promise<CreatedResponse | null>>();
  const settlers = new WeakMap<Exchange, (response: CreatedResponse | null) => void>();

  const begin = (exchange: Exchange, key: string): void => {
    const [oldest] = responses.keys();
    if (responses.size >= maxForms && oldest !== undefined) responses.delete(oldest);
    const response = new Promise<CreatedResponse | null>((resolve) => {
      settlers.set(exchange, (settled) => {
        if (settled === null) responses.delete(key);
        // Does not keep a stopping server alive.
        else setTimeout(() => responses.delete(key), maxAge).unref();
        resolve(settled);
      });
    });
    responses.set(key, response);
  };

  return {
    /**
     * The previous or pending response to this form; null if it must be processed, which ends with `settle`.
     * The caller has checked its CSRF token.
     */
    async responseTo(exchange: Exchange, form: FormData): Promise<CreatedResponse | null> {
      const id = form.get('form_id');
      if (typeof id !== 'string') return null;
      // Includes all values: a user who goes back and changes the form wants to create something else.
      const fields = [...form].map(([name, value]) => [name, typeof value === 'string' ? value : value.size]);
      const key = sha256(JSON.stringify([exchange.url.href, fields]));
      for (let before = responses.get(key); before; before = responses.get(key)) {
        const response = await before;
        if (response) return response;
      }
      begin(exchange, key);
      return null;
    },

    /** Stores the response to the form of this exchange; null if it created nothing. */
    settle(exchange: Exchange, response: CreatedResponse | null): void {
      settlers.get(exchange)?.(response);
    },

    /** After the data was replaced, created resources may no longer exist. */
    forget: (): void => responses.clear(),
  };
}
