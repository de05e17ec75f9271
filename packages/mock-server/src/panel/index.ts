import type { Snapshot } from '../control-types.js';
import { el } from './dom.js';
import { inSession, Panel, type PanelControl, type PanelOptions, row } from './panel.js';
import { RequestList, requestsSection } from './request-list.js';
import { faultsSection } from './sections/faults.js';
import { dataSection, snapshotsSection } from './sections/snapshots.js';
import { clockSection, delaySection, simulationSection } from './sections/time.js';
import { usersSection } from './sections/users.js';
import { takeLinkedState } from './state-link.js';
import { styles } from './styles.js';

export type { PanelControl, PanelOptions } from './panel.js';

/** Milliseconds between two looks at the requests of a server. */
const pollInterval = 1500;
/** Milliseconds until a change is shown, with those that follow it. */
const showDelay = 100;

/**
 * Adds a panel to the page that controls a mock or a server: users, faults, delays, clock, data, snapshots, and the requests
 * as they come. Import it in development only: `if (import.meta.env.DEV) (await import('@mkt/mock-server/panel')).mountPanel(mock)`.
 * @returns a function that removes the panel
 */
export function mountPanel(control: PanelControl, options: PanelOptions = {}): () => void {
  const panel = new Panel(control, options);
  const requests = new RequestList(control);
  const linked = row();
  const frame = panelFrame(panel, () => panelBody(panel, requests, linked));
  const host = mountInShadow(frame.element, options);

  if (panel.isPage || memory.wasOpen()) frame.toggle(true, panel.isPage);
  void offerLinkedState(panel, linked, frame);
  void panel.run(async () => {
    await requests.poll();
    return '';
  });
  frame.show();
  const update = async (): Promise<void> => {
    if (document.hidden || !frame.isOpen()) return;
    await panel.update();
    // A server does not report changes.
    if (!control.subscribe) await panel.refresh();
  };
  const timer = setInterval(() => void update().catch((error: Error) => panel.fail(error)), pollInterval);
  const unsubscribe = control.subscribe?.((event) => {
    if (event.kind === 'request') requests.add(event.request, event.response);
    if (event.kind === 'data') panel.dataChanged = true;
    frame.show();
  });
  const staysUsable = new MutationObserver(() => moveIntoDialog(host, options));
  staysUsable.observe(document, { subtree: true, childList: true, attributeFilter: ['open'] });
  const remove = (): void => {
    staysUsable.disconnect();
    clearInterval(timer);
    unsubscribe?.();
    host.remove();
  };
  // A second panel in the same place replaces it.
  host.addEventListener('replaced', remove);
  return remove;
}

function panelBody(panel: Panel, requests: RequestList, linked: HTMLElement): HTMLElement {
  const snapshots = snapshotsSection(panel);
  const sections = panel.show(
    usersSection(panel, requests),
    faultsSection(panel),
    delaySection(panel),
    clockSection(panel),
    simulationSection(panel),
    requestsSection(panel, requests),
    snapshots,
    dataSection(panel, snapshots, requests),
  );
  return el('div', { class: 'body', tabindex: '0', role: 'group', 'aria-label': 'Controls' }, linked, ...sections);
}

const key = 'mkt-panel-open';
/** Whether the panel of this tab is open, for the next load of the page. */
const memory = {
  wasOpen: () => inSession((storage) => storage.getItem(key)) === '1',
  save: (isOpen: boolean) => inSession((storage) => (isOpen ? storage.setItem(key, '1') : storage.removeItem(key))),
};

/** The window of a panel, with the button that opens it. On a page of its own it is always open. */
interface Frame {
  readonly element: HTMLElement;
  readonly isOpen: () => boolean;
  readonly toggle: (isOpen: boolean, focuses?: boolean) => void;
  /** Shows the present state soon. */
  readonly show: () => void;
}

/** @param body builds the content when it is opened: forms in a closed panel would be found by the tests of the page. */
function panelFrame(panel: Panel, body: () => HTMLElement): Frame {
  const { isPage, options } = panel;
  const open = el('button', { type: 'button', 'aria-expanded': 'false' }, 'Mock');
  const launch = el('div', { class: 'launch', click: () => toggle(true) }, open);
  const corner = (options.position ?? 'bottom-right').replace('-', ' ');
  const element = el('div', { class: isPage ? 'page' : corner }, ...(isPage ? [] : [launch]));
  const close = el('button', { type: 'button', click: () => toggle(false) }, 'Close');
  let content: HTMLElement | undefined;
  const build = (): HTMLElement => {
    const head = isPage ? [] : [el('div', { class: 'head' }, el('h2', {}, 'Mock'), close)];
    const region = { class: 'panel', role: 'region', 'aria-label': 'Mock panel' };
    const built = el('div', region, ...head, panel.message, body());
    built.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || isPage) return;
      // It would close a dialog, too.
      event.preventDefault();
      toggle(false);
    });
    return built;
  };
  const isOpen = (): boolean => content?.isConnected ?? false;
  const toggle = (opens: boolean, focuses = true): void => {
    if (opens) {
      content ??= build();
      element.append(content);
    } else content?.remove();
    launch.hidden = opens;
    open.setAttribute('aria-expanded', String(opens));
    if (!isPage) memory.save(opens);
    if (focuses && !isPage) (opens ? close : open).focus();
    if (opens) void panel.run(() => panel.refresh(), '');
  };
  const showNow = async (): Promise<void> => {
    const { length } = await panel.control.faults.list();
    const faults = length === 1 ? '1 fault' : `${length} faults`;
    // Neither the button's name nor a text of the page: tests of the page find the same with faults and without.
    if (length === 0) launch.removeAttribute('data-badge');
    else launch.dataset.badge = faults;
    open.ariaDescription = length === 0 ? null : faults;
    if (isOpen()) await panel.refresh();
  };
  let isWaiting = false;
  const show = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      void showNow().catch((error: Error) => panel.fail(error));
    }, showDelay);
  };
  return { element, isOpen, toggle, show };
}

/** Adds an element that the styles of the page do not reach. */
function mountInShadow(element: HTMLElement, { target = document.body, theme }: PanelOptions): HTMLElement {
  const host = document.createElement('mkt-panel');
  if (theme) host.setAttribute('theme', theme);
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [sheet];
  root.append(element);
  // Not for the shortcuts of the page.
  for (const type of ['keydown', 'keypress', 'keyup']) host.addEventListener(type, (event) => event.stopPropagation());
  target.querySelector(':scope > mkt-panel')?.dispatchEvent(new Event('replaced'));
  target.append(host);
  return host;
}

/** Moves the panel into an open modal dialog, because nothing outside of it can be used, and back later. */
function moveIntoDialog(host: HTMLElement, { target }: PanelOptions): void {
  const place = target ?? [...document.querySelectorAll(':modal')].at(-1) ?? document.body;
  // It may have been removed with its dialog; the page can also remove only the panel.
  if (host.parentNode && host.parentNode !== place) place.append(host);
}

/** Offers to restore the state that the URL of the page contains. */
async function offerLinkedState(panel: Panel, linked: HTMLElement, { toggle }: Frame): Promise<void> {
  const restore = async (state: Snapshot): Promise<void> => {
    await panel.control.restore(state);
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
