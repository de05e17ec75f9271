import type { ListQuery } from '../../rules/context.js';
import { listUrl } from './filters.js';
import { wholeNumber } from './values.js';

interface PagerProps {
  readonly path: string;
  /** `Total-Count`, `Total-Pages`, `Current-Page` and `Page-Items`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly shown: number;
  readonly query: ListQuery;
}

/** With more pages, a form jumps to any of them. */
const linkedPages = 7;

/** The position of a page in its list, and links to other pages. A page after the last one links to the last one. */
export function Pager({ path, headers, shown, query }: PagerProps) {
  const total = Number(headers['Total-Count']);
  const pages = Number(headers['Total-Pages']);
  const current = Number(headers['Current-Page']);
  const first = (current - 1) * Number(headers['Page-Items']) + 1;
  return (
    <nav class="pager" aria-label="Pages">
      <p>
        {shown > 0 &&
          `${wholeNumber.format(first)}–${wholeNumber.format(first + shown - 1)} of ${wholeNumber.format(total)}`}
      </p>
      {(pages > 1 || shown === 0) && (
        <ul>
          {steps(current, pages).map(({ to, label, afterGap }) => (
            <>
              {afterGap && <li>…</li>}
              <li>
                <a href={listUrl(path, query, to)} {...(to === current && { 'aria-current': 'page' as const })}>
                  {label}
                </a>
              </li>
            </>
          ))}
        </ul>
      )}
      {pages > linkedPages && (
        <form method="get" action={path} class="filters jump" autocomplete="off">
          {Object.entries(query).map(
            ([name, value]) => value !== '' && <input type="hidden" name={name} value={value} />,
          )}
          <label>
            Page <input type="number" name="page" min={1} max={pages} value={Math.min(current, pages)} required />
          </label>
          <button type="submit" class="quiet">
            Go
          </button>
        </form>
      )}
    </nav>
  );
}

/** Previous, the first, last and nearby pages, next. Some have a gap before them. */
function steps(current: number, pages: number) {
  const near = [1, current - 1, current, current + 1, pages].filter((number) => number >= 1 && number <= pages);
  const numbers = [...new Set(near)].sort((left, right) => left - right);
  const previous = Math.min(current - 1, pages);
  return [
    ...(previous >= 1 ? [{ to: previous, label: 'Previous', afterGap: false }] : []),
    ...numbers.map((to, place) => ({
      to,
      label: wholeNumber.format(to),
      afterGap: to > 1 && numbers[place - 1] !== to - 1,
    })),
    ...(current < pages ? [{ to: current + 1, label: 'Next', afterGap: false }] : []),
  ];
}
