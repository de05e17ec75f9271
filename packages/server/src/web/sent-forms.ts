import type { Exchange } from '../http/exchange.js';
import type { Flash } from './flash.js';

/** Where a form led, and what was said there. */
interface Answer {
  readonly to: string;
  readonly flash: Flash;
}

/** Milliseconds; a second press of a button comes sooner. */
const kept = 60_000;
const most = 1000;

/**
 * Forms that have created something: without scripts nothing holds back a double click, and one that is sent twice still
 * creates one thing (D85). Each form has an id of its own, and belongs to one session.
 */
export function sentForms(now: () => number, sha256: (text: string) => string) {
  const answers = new Map<string, Answer & { readonly until: number }>();
  const checked = new WeakMap<Exchange, string>();
  return {
    /** What this form was answered with before. Its CSRF token has been checked. */
    answerTo(exchange: Exchange, form: FormData): Answer | null {
      const id = form.get('form_id');
      if (typeof id !== 'string') return null;
      // With all that was written: who goes back and writes something else means another thing.
      const fields = [...form].map(([name, value]) => [name, typeof value === 'string' ? value : value.size]);
      const key = sha256(JSON.stringify([exchange.url.href, fields]));
      checked.set(exchange, key);
      const answer = answers.get(key);
      return answer && answer.until > now() ? answer : null;
    },

    /** The form of this exchange has created something. */
    remember(exchange: Exchange, answer: Answer): void {
      const key = checked.get(exchange);
      if (key === undefined) return;
      for (const [old, { until }] of answers) if (until <= now() || answers.size >= most) answers.delete(old);
      answers.set(key, { ...answer, until: now() + kept });
    },
  };
}
