import type { LoggedRequest } from '../control-types.js';
import { el, labeled } from './dom.js';
import { type Panel, type PanelControl, type PanelSection, row } from './panel.js';

const maxShown = 50;

const maxBody = 20_000;

/** Shows the headers and the body of a response, when its item is opened. */
async function showResponse(place: HTMLElement, response: Response | undefined): Promise<void> {
  if (!response || response.bodyUsed || place.textContent !== '') return;
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  const type = response.headers.get('content-type') ?? '';
  const text = type.startsWith('image/') ? '' : await response.text().catch(() => '(broken)');
  let body = text;
  try {
    body = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Not JSON, or not complete.
  }
  place.textContent = [...lines, '', body.slice(0, maxBody)].join('\n');
}

/** The latest requests, newest first. Items stay open while others are added. */
export class RequestList {
  readonly element = el('ul', { 'aria-label': 'Requests' });
  #last = '';
  #filter = '';
  /** The id of the user whose token the last request had. */
  lastUser: string | null = null;

  constructor(private readonly source: Pick<PanelControl, 'requests'>) {}

  /** @param response A copy of it, where it is known. */
  add(request: LoggedRequest, response?: Response): void {
    const { id, method, path, status, duration, operation, user, fault, unexpected, headers, body } = request;
    const isBad = status === null || status >= 400 || unexpected !== null;
    // What is undefined is not shown.
    const details = { operation, user, fault: fault ?? undefined, unexpected: unexpected ?? undefined, headers, body };
    const received = el('pre', {});
    const texts = `${method} ${path} ${operation} ${status} ${fault} ${user}`.toLowerCase();
    this.element.prepend(
      el(
        'li',
        { 'data-texts': texts, hidden: !texts.includes(this.#filter) },
        el(
          'details',
          // A body that no one looks at is not read.
          { toggle: () => void showResponse(received, response) },
          el('summary', {}, el('code', {}, `${method} ${path}`)),
          el('small', {}, 'Request'),
          el('pre', {}, JSON.stringify(details, null, 2)),
          ...(response ? [el('small', {}, 'Response'), received] : []),
        ),
        el('small', isBad ? { class: 'bad' } : {}, `${status ?? 'broken'} ${duration.toFixed(0)} ms`),
      ),
    );
    while (this.element.childElementCount > maxShown) this.element.lastElementChild?.remove();
    this.#last = id;
    // An injected fault comes before the token is read.
    if (user !== null || status === 401) this.lastUser = user;
  }

  /** Adds the requests since the last one. */
  async poll(): Promise<void> {
    const all = await this.source.requests.list();
    const start = all.findIndex(({ id }) => id === this.#last) + 1;
    if (start === 0) this.clear();
    for (const request of all.slice(Math.max(start, all.length - maxShown))) this.add(request);
  }

  /** Shows only requests that contain this text. */
  filter(text: string): void {
    this.#filter = text.trim().toLowerCase();
    for (const item of this.element.children)
      (item as HTMLElement).hidden = !(item as HTMLElement).dataset.texts?.includes(this.#filter);
  }

  clear(): void {
    this.element.replaceChildren();
    this.#last = '';
  }
}

/** The requests as they come. */
export function requestsSection(panel: Panel, requests: RequestList): PanelSection {
  const { control } = panel;
  const clear = async (): Promise<void> => {
    await control.requests.clear();
    requests.clear();
  };
  const filter = el('input', { type: 'search', size: '22', placeholder: 'POST, campaigns, 503' });
  filter.addEventListener('input', () => requests.filter(filter.value));
  return {
    element: panel.section(
      'Requests',
      row(labeled('Filter', filter), panel.button('Clear', clear, 'The requests were cleared.')),
      el('div', { class: 'requests', tabindex: '0', role: 'group', 'aria-label': 'Live requests' }, requests.element),
    ),
    async update() {
      if (!control.subscribe) await requests.poll();
    },
  };
}
