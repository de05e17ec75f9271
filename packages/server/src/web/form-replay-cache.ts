import type { Exchange } from '../http/exchange.js';
import type { Flash } from './flash.js';

/** Where a form led, and what was said there. */
interface Answer {
  readonly to: string;
  readonly flash: Flash;
}

/** Milliseconds; a second press of a button comes sooner. Then the answer goes, and with it the secret that it may hold. */
const kept = 60_000;
const most = 1000;

/**
 * Forms that have created something: without scripts nothing holds back a double click, and one that is sent twice still
 * creates one thing (D85). Each form has an id of its own, and belongs to one session.
 */
export function formReplayCache(sha256: (text: string) => string) {
  /** What each form is answered with, once it is; null where it created nothing. */
  const answers = new Map<string, Promise<Answer | null>>();
  const settlers = new WeakMap<Exchange, (answer: Answer | null) => void>();

  const begin = (exchange: Exchange, key: string): void => {
    const [oldest] = answers.keys();
    if (answers.size >= most && oldest !== undefined) answers.delete(oldest);
    const answer = new Promise<Answer | null>((resolve) => {
      settlers.set(exchange, (settled) => {
        if (settled === null) answers.delete(key);
        // A server that stops does not wait for it.
        else setTimeout(() => answers.delete(key), kept).unref();
        resolve(settled);
      });
    });
    answers.set(key, answer);
  };

  return {
    /**
     * What this form was answered with before, or is about to be; null when it is to be carried out, which `settle` ends.
     * Its CSRF token has been checked.
     */
    async answerTo(exchange: Exchange, form: FormData): Promise<Answer | null> {
      const id = form.get('form_id');
      if (typeof id !== 'string') return null;
      // With all that was written: who goes back and writes something else means another thing.
      const fields = [...form].map(([name, value]) => [name, typeof value === 'string' ? value : value.size]);
      const key = sha256(JSON.stringify([exchange.url.href, fields]));
      for (let before = answers.get(key); before; before = answers.get(key)) {
        const answer = await before;
        if (answer) return answer;
      }
      begin(exchange, key);
      return null;
    },

    /** The form of this exchange, where it has one, has created something; null: it has not. */
    settle(exchange: Exchange, answer: Answer | null): void {
      settlers.get(exchange)?.(answer);
    },

    /** Other data came: what forms led to may be gone. */
    forget: (): void => answers.clear(),
  };
}
