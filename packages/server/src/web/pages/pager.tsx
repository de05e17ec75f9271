interface PagerProps {
  readonly path: string;
  /** `Total-Count`, `Total-Pages`, `Current-Page` and `Page-Items` (D2). */
  readonly headers: Readonly<Record<string, string>>;
  readonly shown: number;
}

const count = new Intl.NumberFormat('en-US');

/** The position of a page in its list, and links to other pages. A page after the last one links to the last one (D3). */
export function Pager({ path, headers, shown }: PagerProps) {
  const total = Number(headers['Total-Count']);
  const pages = Number(headers['Total-Pages']);
  const current = Number(headers['Current-Page']);
  const first = (current - 1) * Number(headers['Page-Items']) + 1;
  return (
    <nav class="pager" aria-label="Pages">
      <p>
        {shown > 0
          ? `${count.format(first)}–${count.format(first + shown - 1)} of ${count.format(total)}`
          : count.format(total)}
      </p>
      {(pages > 1 || shown === 0) && (
        <ul>
          {steps(current, pages).map(({ to, label, afterGap }) => (
            <>
              {afterGap === true && <li>…</li>}
              <li>
                <a href={`${path}?page=${to}`} {...(to === current && { 'aria-current': 'page' as const })}>
                  {label}
                </a>
              </li>
            </>
          ))}
        </ul>
      )}
    </nav>
  );
}

interface Step {
  readonly to: number;
  readonly label: string;
  /** Whether there is a gap before it. */
  readonly afterGap?: boolean;
}

/** Previous, the first, last and nearby pages, next. */
function steps(current: number, pages: number): readonly Step[] {
  const near = [1, current - 1, current, current + 1, pages].filter((number) => number >= 1 && number <= pages);
  const numbers = [...new Set(near)].sort((left, right) => left - right);
  const previous = Math.min(current - 1, pages);
  return [
    ...(previous >= 1 ? [{ to: previous, label: 'Previous' }] : []),
    ...numbers.map((to, place) => ({ to, label: count.format(to), afterGap: to > 1 && numbers[place - 1] !== to - 1 })),
    ...(current < pages ? [{ to: current + 1, label: 'Next' }] : []),
  ];
}
