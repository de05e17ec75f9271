import type { Exchange } from '../http/exchange.js';
import type { Flash } from './flash.js';

/** Where a form was redirected to, and the flash message. */
interface Answer {
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
  const answers = new Map<string, Promise<Answer | null>>();
  const settlers = new WeakMap<Exchange, (answer: Answer | null) => void>();

  const begin = (exchange: Exchange, key: string): void => {
    const [oldest] = answers.keys();
    if (answers.size >= maxForms && oldest !== undefined) answers.delete(oldest);
    const answer = new Promise<Answer | null>((resolve) => {
      settlers.set(exchange, (settled) => {
        if (settled === null) answers.delete(key);
        // Does not keep a stopping server alive.
        else setTimeout(() => answers.delete(key), maxAge).unref();
        resolve(settled);
      });
    });
    answers.set(key, answer);
  };

  return {
    /**
     * The previous or pending response to this form; null if it must be processed, which ends with `settle`.
     * The caller has checked its CSRF token.
     */
    async answerTo(exchange: Exchange, form: FormData): Promise<Answer | null> {
      const id = form.get('form_id');
      if (typeof id !== 'string') return null;
      // Includes all values: a user who goes back and changes the form wants to create something else.
      const fields = [...form].map(([name, value]) => [name, typeof value === 'string' ? value : value.size]);
      const key = sha256(JSON.stringify([exchange.url.href, fields]));
      for (let before = answers.get(key); before; before = answers.get(key)) {
        const answer = await before;
        if (answer) return answer;
      }
      begin(exchange, key);
      return null;
    },

    /** Stores the response to the form of this exchange; null if it created nothing. */
    settle(exchange: Exchange, answer: Answer | null): void {
      settlers.get(exchange)?.(answer);
    },

    /** After the data was replaced, created resources may no longer exist. */
    forget: (): void => answers.clear(),
  };
}
