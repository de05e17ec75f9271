import { el } from './dom.js';
import { Panel, type PanelControl, type PanelOptions, row } from './panel.js';
import { RequestList } from './request-list.js';
import { dataSection, marketplaceSection } from './sections/data.js';
import { faultsSection } from './sections/faults.js';
import { requestsSection } from './sections/requests.js';
import { snapshotsSection } from './sections/snapshots.js';
import { clockSection, delaySection } from './sections/time.js';
import { usersSection } from './sections/users.js';
import { type SharedState, takeLinkedState } from './state-link.js';
import { styles } from './styles.js';

export type { PanelControl, PanelOptions } from './panel.js';

/** Milliseconds between two looks at the requests of a server. */
const pollInterval = 1500;

/**
 * Adds a panel to the page that controls a mock or a server: users, faults, delays, clock, data, snapshots, and the requests
 * as they come. Import it in development only: `if (import.meta.env.DEV) (await import('@mkt/mock-server/panel')).mountPanel(mock)`.
 * @returns a function that removes the panel
 */
export function mountPanel(control: PanelControl, options: PanelOptions = {}): () => void {
  const panel = new Panel(control, options);
  const requests = new RequestList(control);
  const snapshots = snapshotsSection(panel);
  const linked = row();
  const sections = panel.show(
    usersSection(panel),
    faultsSection(panel),
    delaySection(panel),
    clockSection(panel),
    requestsSection(panel, requests),
    snapshots,
    dataSection(panel, snapshots, requests),
    marketplaceSection(panel),
  );
  const body = el(
    'div',
    { class: 'body', tabindex: '0', role: 'group', 'aria-label': 'Controls' },
    linked,
    ...sections,
  );
  const frame = panelFrame(panel, body);
  const host = mountInShadow(frame.element, options.target ?? document.body);

  void offerLinkedState(panel, linked, frame);
  void panel.run(async () => {
    await requests.poll();
    return '';
  });
  const update = async (): Promise<void> => {
    if (!document.hidden && frame.isOpen()) await panel.update();
  };
  const timer = setInterval(() => void update().catch((error: Error) => panel.fail(error)), pollInterval);
  const unsubscribe = control.subscribe?.((event) => {
    if (event.kind === 'request') requests.add(event.request);
  });
  return () => {
    clearInterval(timer);
    unsubscribe?.();
    host.remove();
  };
}

/** The window of a panel, with the button that opens it. On a page of its own it is always open. */
interface Frame {
  readonly element: HTMLElement;
  readonly isOpen: () => boolean;
  readonly toggle: (isOpen: boolean) => void;
}

function panelFrame(panel: Panel, body: HTMLElement): Frame {
  const { isPage } = panel;
  const content = el('div', { class: 'panel', role: 'region', 'aria-label': 'Mock panel', hidden: !isPage });
  const launch = el('button', { type: 'button', class: 'launch', 'aria-expanded': 'false' }, 'Mock');
  const toggle = (isOpen: boolean): void => {
    content.hidden = !isOpen;
    launch.hidden = isOpen;
    launch.setAttribute('aria-expanded', String(isOpen));
    (isOpen ? close : launch).focus();
    if (isOpen) void panel.run(() => panel.refresh(), '');
  };
  const close = el('button', { type: 'button', click: () => toggle(false) }, 'Close');
  launch.addEventListener('click', () => toggle(true));
  content.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && !isPage) toggle(false);
  });
  content.append(...(isPage ? [] : [el('div', { class: 'head' }, el('h2', {}, 'Mock'), close)]), panel.message, body);
  const element = el('div', isPage ? { class: 'page' } : {}, ...(isPage ? [] : [launch]), content);
  return { element, isOpen: () => !content.hidden, toggle };
}

/** Adds an element that the styles of the page do not reach. */
function mountInShadow(element: HTMLElement, target: Element): HTMLElement {
  const host = document.createElement('mkt-panel');
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [sheet];
  root.append(element);
  target.append(host);
  return host;
}

/** Offers to restore the state that the URL of the page contains. */
async function offerLinkedState(panel: Panel, linked: HTMLElement, { toggle }: Frame): Promise<void> {
  const restore = async ({ snapshot, latency }: SharedState): Promise<void> => {
    await panel.control.restore(snapshot);
    if (latency !== undefined) await panel.control.setLatency(latency);
    panel.latency = latency ?? panel.latency;
    linked.replaceChildren();
  };
  try {
    const state = await takeLinkedState();
    if (!state) return;
    linked.append(panel.button('Restore the state in the link', () => restore(state), 'The state was restored.'));
    if (!panel.isPage) toggle(true);
  } catch (error) {
    panel.fail(error);
  }
}
