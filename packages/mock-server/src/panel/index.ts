import { endpoints } from '@mkt/sdk/contract';
import type { RemoteControl } from '../connect-control.js';
import type { Control } from '../control/control.js';
import type {
  Fault,
  FaultEffect,
  FaultMatch,
  LoggedRequest,
  Milliseconds,
  SeedSource,
  Snapshot,
} from '../control-types.js';
import { el, form, labeled } from './dom.js';
import { acts, create, effects, latencies, moves } from './forms.js';
import { RequestList } from './request-list.js';
import { type SharedState, stateLink, takeLinkedState } from './state-link.js';
import { styles } from './styles.js';

/** A mock, or the client of a server's control API. */
export type PanelControl = (Control | RemoteControl) & {
  readonly subscribe?: (listener: (request: LoggedRequest) => void) => () => void;
  readonly tokens?: Readonly<Record<string, string>>;
};

export interface PanelOptions {
  /**
   * Signs in to your application with the token of a user. Without it, the panel copies the token, and dispatches the event
   * `mkt-sign-in` on the document, with the token and its name in `detail`.
   */
  readonly signIn?: (token: string, name: string) => void;
  /** The element that the panel fills. By default the panel floats over the page. */
  readonly target?: Element;
}

/** Milliseconds between two looks at the requests of a server. */
const pollInterval = 1500;

/**
 * Adds a panel to the page that controls a mock or a server: users, faults, delays, clock, data, snapshots, and the requests
 * as they come. Import it in development only: `if (import.meta.env.DEV) (await import('@mkt/mock-server/panel')).mountPanel(mock)`.
 * @returns a function that removes the panel
 */
export function mountPanel(control: PanelControl, { signIn, target }: PanelOptions = {}): () => void {
  const isPage = target !== undefined;
  const message = el('p', { class: 'message', role: 'status' });
  const say = (text: string, tone = ''): void => {
    message.className = `message ${tone}`;
    message.textContent = text;
  };
  /** Performs an action, and shows what became of it. */
  const run = async (work: () => unknown, done?: string): Promise<void> => {
    try {
      const result = await work();
      say(done ?? (typeof result === 'string' ? result : 'Done.'));
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), 'bad');
    }
    await refresh();
  };
  const button = (label: string, work: () => unknown, done?: string, attributes = {}): HTMLButtonElement =>
    el('button', { type: 'button', click: () => void run(work, done), ...attributes }, label);
  const section = (title: string, ...children: readonly (Node | string)[]): HTMLElement =>
    el('section', { 'aria-label': title }, el(isPage ? 'h2' : 'h3', { tabindex: '-1' }, title), ...children);
  const row = (...children: readonly Node[]): HTMLElement => el('div', { class: 'row' }, ...children);

  const copy = async (text: string): Promise<void> => navigator.clipboard.writeText(text);
  const signInAs = async (token: string, name: string): Promise<string> => {
    if (signIn) {
      signIn(token, name);
      return `Signed in with ${name}.`;
    }
    document.dispatchEvent(new CustomEvent('mkt-sign-in', { detail: { token, name } }));
    const isCopied = await copy(token).then(
      () => true,
      () => false,
    );
    return isCopied ? `The token ${name} is in the clipboard: ${token}` : `The token ${name}: ${token}`;
  };

  const users = el('div', { class: 'row' });
  const showUsers = (): void => {
    const tokens = Object.entries(control.tokens ?? {});
    users.replaceChildren(...tokens.map(([name, token]) => button(name, () => signInAs(token, name))));
  };
  const anyUser = form(
    'Any user',
    'Create a token',
    [
      { name: 'user', label: 'Id or e-mail' },
      { name: 'permission', label: 'May', kind: ['write', 'read'] },
    ],
    (values) =>
      void run(async () => {
        const { token } = await control.createToken(values as unknown as Parameters<Control['createToken']>[0]);
        return signInAs(token, String(values.user));
      }),
  );

  const operation = el(
    'select',
    {},
    el('option', { value: '' }, 'every request'),
    ...endpoints.map(({ operation }) => el('option', { value: operation }, operation)),
  );
  const times = el('input', { type: 'number', min: '1', size: '4', placeholder: 'always' });
  const addFault = async (effect: FaultEffect): Promise<string> => {
    const match = operation.value === '' ? {} : { match: { operation: operation.value } as FaultMatch };
    const { id } = await control.faults.add({
      ...match,
      effect,
      ...(times.value !== '' && { times: Number(times.value) }),
    });
    return `${id} was added.`;
  };
  const faults = el('ul', { 'aria-label': 'Active faults' });
  const clearFaults = button('Remove all', () => control.faults.clear(), 'All faults were removed.');
  const faultText = ({ effect, match = {}, times, hits }: Fault): string => {
    const of = Object.values(match).join(', ') || 'every request';
    const name = typeof effect === 'string' ? effect : JSON.stringify(effect);
    return `${name} for ${of}, applied ${hits}${times === undefined ? '' : ` of ${times}`} times`;
  };

  /** Unknown until it is set here. */
  let latency: Milliseconds | undefined;
  const latencyButtons = latencies.map(([label, value]) =>
    button(
      label,
      async () => {
        await control.setLatency(value);
        latency = value;
      },
      `Delay of responses: ${label}.`,
      { 'aria-pressed': 'false' },
    ),
  );

  const clock = el('p');
  let isFrozen = false;
  const freeze = button('Freeze', () => (isFrozen ? control.clock.resume() : control.clock.freeze()));

  const showClock = async (): Promise<void> => {
    const { now, frozen } = await control.clock.read();
    isFrozen = frozen;
    clock.textContent = `${now.slice(0, 19).replace('T', ' ')} UTC${frozen ? ', frozen' : ''}`;
    freeze.textContent = frozen ? 'Resume' : 'Freeze';
  };

  const requests = new RequestList(control);

  const snapshotText = async (): Promise<string> => JSON.stringify(await control.snapshot());
  const saved = el('ul', { 'aria-label': 'Saved snapshots' });
  const saveSnapshot = async (): Promise<string> => {
    const snapshot = await control.snapshot();
    const name = `Snapshot ${saved.childElementCount + 1}`;
    saved.append(
      el(
        'li',
        {},
        name,
        button(`Restore`, () => control.restore(snapshot), `${name} was restored.`, {
          'aria-label': `Restore ${name}`,
        }),
      ),
    );
    return `${name} was saved, until the page is left.`;
  };
  const download = async (name: string, text: Promise<string>): Promise<void> => {
    const url = URL.createObjectURL(new Blob([await text]));
    el('a', { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  };
  const file = el('input', { type: 'file', accept: '.json', 'aria-label': 'Restore a snapshot file' });
  file.addEventListener('change', () => {
    const [chosen] = file.files ?? [];
    if (!chosen) return;
    const restore = async (): Promise<void> => {
      await control.restore(JSON.parse(await chosen.text()) as Snapshot);
    };
    void run(restore, 'The snapshot was restored.').then(() => {
      file.value = '';
    });
  });
  const linked = el('div', { class: 'row' });
  const restoreLinked = async ({ snapshot, latency: linkedLatency }: SharedState): Promise<void> => {
    await control.restore(snapshot);
    if (linkedLatency !== undefined) await control.setLatency(linkedLatency);
    latency = linkedLatency ?? latency;
    linked.replaceChildren();
  };
  const loadSeed = (source: SeedSource) => async (): Promise<string> => {
    await saveSnapshot();
    const tokens = await control.seed(source);
    const [first = ''] = Object.values(tokens);
    return source === 'empty' ? `The data is empty. Its only token: ${first}` : `The data is now ${source}.`;
  };

  const body = el(
    'div',
    { class: 'body', tabindex: '0', role: 'group', 'aria-label': 'Controls' },
    linked,
    section('Signed-in user', users, anyUser),
    section(
      'Faults',
      row(labeled('For', operation), labeled('Times', times)),
      row(...Object.entries(effects).map(([label, effect]) => button(label, () => addFault(effect)))),
      faults,
      clearFaults,
    ),
    section('Delay of responses', row(...latencyButtons)),
    section(
      'Clock',
      clock,
      row(
        freeze,
        ...Object.entries(moves).map(([label, by]) =>
          button(label, () => control.clock.advance(by), 'The clock was moved.'),
        ),
      ),
      form(
        'Set',
        'Set',
        [{ name: 'to', label: 'Time (ISO 8601)', value: '2026-06-01T00:00:00Z' }],
        ({ to }) => void run(() => control.clock.set(String(to)), 'The clock was set.'),
      ),
    ),
    section(
      'Requests',
      row(
        button(
          'Clear',
          async () => {
            await control.requests.clear();
            requests.clear();
          },
          'The requests were cleared.',
        ),
      ),
      el('div', { class: 'requests', tabindex: '0', role: 'group', 'aria-label': 'Live requests' }, requests.element),
    ),
    section(
      'Snapshots',
      row(
        button('Save', saveSnapshot),
        button('Download', () => download('mkt-snapshot.json', snapshotText()), 'The snapshot was downloaded.'),
        button('Copy link', async () => {
          const link = await stateLink({
            snapshot: await control.snapshot(),
            ...(latency !== undefined && { latency }),
          });
          await copy(link);
          return 'The link is in the clipboard. It opens this page with this state.';
        }),
        file,
      ),
      saved,
    ),
    section(
      'Data',
      row(
        button(
          'Reset everything',
          async () => {
            await saveSnapshot();
            await control.reset();
            requests.clear();
          },
          'Everything was reset. To undo it, restore the last snapshot.',
        ),
        ...(['demo', 'empty', 'large'] as const).map((source) => button(`Load ${source}`, loadSeed(source))),
        button(
          'Download a seed',
          () => download('mkt-seed.yaml', Promise.resolve(control.export())),
          'The seed was downloaded.',
        ),
      ),
      ...create.map(({ title, fields, make }) =>
        form(title, 'Create', fields, (values) => void run(() => make(control, values))),
      ),
    ),
    section(
      'Marketplace',
      ...acts.map(({ title, label, fields, perform }) =>
        form(title, label, fields, (values) => void run(() => perform(control, values), `${title}: done.`)),
      ),
    ),
  );

  const refresh = async (): Promise<void> => {
    showUsers();
    const list = await control.faults.list();
    const hadFocus = faults.contains(root.activeElement);
    faults.replaceChildren(
      ...list.map((fault) =>
        el(
          'li',
          {},
          faultText(fault),
          button('Remove', () => control.faults.remove(fault.id), `${fault.id} was removed.`, {
            'aria-label': `Remove ${fault.id}`,
          }),
        ),
      ),
    );
    clearFaults.hidden = list.length === 0;
    // Otherwise the keyboard would start again at the top of the page.
    if (hadFocus) faults.parentElement?.querySelector<HTMLElement>('h2, h3')?.focus();
    await showClock();
    for (const [index, each] of latencyButtons.entries())
      each.setAttribute('aria-pressed', String(JSON.stringify(latencies[index]?.[1]) === JSON.stringify(latency)));
  };

  const panel = el('div', { class: 'panel', role: 'region', 'aria-label': 'Mock panel', hidden: !isPage });
  const launch = el('button', { type: 'button', class: 'launch', 'aria-expanded': 'false' }, 'Mock');
  const toggle = (isOpen: boolean): void => {
    panel.hidden = !isOpen;
    launch.hidden = isOpen;
    launch.setAttribute('aria-expanded', String(isOpen));
    (isOpen ? close : launch).focus();
    if (isOpen) void run(refresh, '');
  };
  const close = el('button', { type: 'button', click: () => toggle(false) }, 'Close');
  launch.addEventListener('click', () => toggle(true));
  panel.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && !isPage) toggle(false);
  });
  panel.append(...(isPage ? [] : [el('div', { class: 'head' }, el('h2', {}, 'Mock'), close)]), message, body);

  const host = document.createElement('mkt-panel');
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [sheet];
  root.append(el('div', isPage ? { class: 'page' } : {}, ...(isPage ? [] : [launch]), panel));
  (target ?? document.body).append(host);

  void takeLinkedState().then(
    (state) => {
      if (!state) return;
      linked.append(button('Restore the state in the link', () => restoreLinked(state), 'The state was restored.'));
      if (!isPage) toggle(true);
    },
    (error: Error) => say(error.message, 'bad'),
  );
  void run(async () => {
    await requests.poll();
    return '';
  });
  /** Shows what changed without the panel. */
  const update = async (): Promise<void> => {
    if (document.hidden || panel.hidden) return;
    await showClock();
    if (!control.subscribe) await requests.poll();
  };
  const timer = setInterval(() => void update().catch((error: Error) => say(error.message, 'bad')), pollInterval);
  const unsubscribe = control.subscribe?.((request) => requests.add(request));
  return () => {
    clearInterval(timer);
    unsubscribe?.();
    host.remove();
  };
}
