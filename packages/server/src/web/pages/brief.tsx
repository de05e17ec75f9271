import { raw } from 'hono/html';
import { richText } from '../../rules/rich-text.js';

/** Below the headings of the page. */
const lowered = (html: string): string =>
  html.replace(/<(\/?)h([1-4])>/g, (_, slash: string, level: string) => `<${slash}h${Math.min(6, Number(level) + 2)}>`);

/** Sanitized on write (D44), and again here, because a seed file or an older version may have allowed more. */
export const BriefText = ({ html }: { html: string }) => (
  // Plain text has no elements for its paragraphs.
  <div class={/<[a-z]/i.test(html) ? 'prose' : 'prose plain'} dir="auto">
    {raw(lowered(richText(html)))}
  </div>
);
