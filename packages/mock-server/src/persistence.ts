import type { Control } from './control/control.js';
import type { Snapshot } from './control/snapshot.js';

/** The state of a mock between two loads of a page. */
interface SavedState {
  /** Saved data of another seed is not used. */
  readonly seed: string;
  readonly tokens: Readonly<Record<string, string>>;
  readonly snapshot: Snapshot;
}

/** Milliseconds to wait for further writes before saving. */
const saveDelay = 50;

/** Opens the tab's sessionStorage. Only in pages: accessing Node's own prints a warning. */
export function openSession(key: string, seed: string): SessionPersistence | undefined {
  try {
    return new SessionPersistence(globalThis.sessionStorage, key, seed);
  } catch (error) {
    // The browser does not allow the page to store data.
    console.warn(
      `The mock cannot use sessionStorage (${(error as Error).message}): its state will not survive a reload.`,
    );
    return undefined;
  }
}

/** Saves the state, at once (false if it does not fit) or soon, after each change. */
export interface Save {
  readonly now: () => Promise<boolean>;
  readonly soon: () => void;
}

/** Saves the state of a mock in the tab's sessionStorage. */
export class SessionPersistence {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #warned = false;

  constructor(
    private readonly storage: Storage,
    private readonly key: string,
    private readonly seed: string,
  ) {}

  /** Restores the saved state if it has the same seed. @returns its tokens */
  async restore(control: Pick<Control, 'restore'>): Promise<SavedState['tokens'] | null> {
    const text = this.storage.getItem(this.key);
    if (text === null) return null;
    try {
      const saved = JSON.parse(text) as Partial<SavedState> | null;
      if (saved?.seed !== undefined && saved.seed !== this.seed) return null;
      await control.restore(saved?.snapshot as Snapshot);
      return saved?.tokens ?? {};
    } catch (error) {
      // Written by another version of the mock or by other code. Importing ControlError would split the first chunk.
      if (!(error instanceof SyntaxError || (error instanceof Error && error.name === 'ControlError'))) throw error;
      console.warn(
        `The mock's state in sessionStorage cannot be read, so the mock starts with its seed. ${error.message}`,
      );
      return null;
    }
  }

  clear(): void {
    this.storage.removeItem(this.key);
  }

  /** Saves the state when the page is left. */
  start(control: Pick<Control, 'snapshot'>, tokens: () => Readonly<Record<string, string>>): Save {
    const save = async (): Promise<boolean> =>
      this.#write({ seed: this.seed, tokens: tokens(), snapshot: await control.snapshot() });
    globalThis.addEventListener?.('pagehide', () => void save());
    const soon = (): void => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void save(), saveDelay);
    };
    return { now: save, soon };
  }

  #write(state: SavedState): boolean {
    try {
      this.storage.setItem(this.key, JSON.stringify(state));
      return true;
    } catch (error) {
      // Older data would be restored.
      this.clear();
      if (this.#warned) return false;
      this.#warned = true;
      console.warn(
        `The mock's state does not fit into sessionStorage (${(error as Error).message}), so it will not survive a reload. Use a smaller seed or smaller images, or persist: 'none'.`,
      );
      return false;
    }
  }
}
