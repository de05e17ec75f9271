import type { RemoteControl } from '../connect-control.js';
import type { Control } from '../control/control.js';
import type { ControlEvent } from '../control-types.js';
import { el } from './dom.js';

/** A mock, or the client of a server's control API. */
export type PanelControl = (Control | RemoteControl) & {
  readonly subscribe?: (listener: (event: ControlEvent) => void) => () => void;
  readonly tokens?: Readonly<Record<string, string>>;
  readonly survivesReload?: () => Promise<boolean>;
};

export interface PanelOptions {
  /**
   * Signs in to your application with the token of a user. Without it, the panel copies the token, and dispatches the event
   * `mkt-sign-in` on the document, with the token and its name in `detail`.
   */
  readonly signIn?: (token: string, name: string) => void;
  /** The corner of the page. @default 'bottom-right' */
  readonly position?: 'bottom-right' | 'bottom-left' | 'top-right' | 'top-left';
  /** By default that of the browser. */
  readonly theme?: 'light' | 'dark';
  /** The element that the panel fills. By default the panel floats over the page. */
  readonly target?: Element;
}

/** A part of the panel with a title. */
export interface PanelSection {
  readonly element: HTMLElement;
  /** Shows the present state. Called after every action in the panel, and when it is opened. */
  readonly refresh?: () => void | Promise<void>;
  /** Shows what changed without the panel. Called regularly while it is open. */
  readonly update?: () => void | Promise<void>;
}

/** What the sections of a panel share. */
export class Panel {
  /** Whether the data changed since an action began. */
  dataChanged = false;
  /** What became of the last action. */
  readonly message = el('p', { class: 'message', role: 'status' });
  #sections: readonly PanelSection[] = [];

  constructor(
    readonly control: PanelControl,
    readonly options: PanelOptions,
  ) {}

  /** Whether the panel is a page of its own. */
  get isPage(): boolean {
    return this.options.target !== undefined;
  }

  /** Sets the sections, in their order, and returns their elements. */
  show(...sections: readonly PanelSection[]): readonly HTMLElement[] {
    this.#sections = sections;
    return sections.map(({ element }) => element);
  }

  async refresh(): Promise<void> {
    for (const section of this.#sections) await section.refresh?.();
  }

  async update(): Promise<void> {
    for (const section of this.#sections) await section.update?.();
  }

  say(text: string, tone = ''): void {
    this.message.className = `message ${tone}`;
    this.message.textContent = text;
  }

  fail(error: unknown): void {
    this.say(error instanceof Error ? error.message : String(error), 'bad');
  }

  /** Performs an action, and shows what became of it: `done`, or the text that the action returns. */
  async run(work: () => unknown, done?: string): Promise<void> {
    this.dataChanged = false;
    try {
      const result = await work();
      const seen = this.dataChanged ? await this.#whenSeen() : [];
      this.say(done ?? (typeof result === 'string' ? result : 'Done.'));
      this.message.append(...seen);
    } catch (error) {
      this.fail(error);
    }
    await this.refresh();
  }

  /** When the page shows data that was changed here. */
  async #whenSeen(): Promise<readonly (string | Node)[]> {
    if (!this.control.survivesReload) return [];
    if (!(await this.control.survivesReload()))
      return [' Your application shows it when it loads its data again. A reload of the page would lose it.'];
    const reload = el('button', { type: 'button', click: () => location.reload() }, 'Reload');
    return [' Reload the page to see it in your application. ', reload];
  }

  /** A button that performs an action. */
  button(label: string, work: () => unknown, done?: string, attributes = {}): HTMLButtonElement {
    return el('button', { type: 'button', click: () => void this.run(work, done), ...attributes }, label);
  }

  section(title: string, ...children: readonly (Node | string)[]): HTMLElement {
    return el(
      'section',
      { 'aria-label': title },
      el(this.isPage ? 'h2' : 'h3', { tabindex: '-1' }, title),
      ...children,
    );
  }
}

/** Elements in a line. */
export const row = (...children: readonly Node[]): HTMLElement => el('div', { class: 'row' }, ...children);

export const copyText = async (text: string): Promise<void> => navigator.clipboard.writeText(text);

/** Uses the storage of this tab; undefined if the browser does not allow the page to store data, or so much. */
export function inSession<Result>(use: (storage: Storage) => Result): Result | undefined {
  try {
    return use(sessionStorage);
  } catch {
    return undefined;
  }
}
