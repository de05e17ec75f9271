import { type Control, ControlError, type Snapshot } from '@mkt/server';

/** What a tab keeps of a mock between two loads of the page. */
interface Kept {
  /** The seed that the data grew from: with another one it is worth nothing. */
  readonly seed: string;
  readonly tokens: Readonly<Record<string, string>>;
  readonly snapshot: Snapshot;
}

/** Long enough to gather the writes of one moment. Milliseconds. */
const gather = 50;

/** The tab's sessionStorage. Only a page has one; asking for Node's own prints a warning. */
export function sessionStorageOf(page: Location | undefined): Storage | undefined {
  if (!page) return undefined;
  try {
    return globalThis.sessionStorage;
  } catch (error) {
    // A browser that lets the page keep nothing.
    console.warn(`The mock may not use sessionStorage (${(error as Error).message}): it will not survive a reload.`);
    return undefined;
  }
}

/** Keeps a mock's state in the tab's sessionStorage. */
export class SessionPersistence {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #warned = false;

  constructor(
    private readonly storage: Storage,
    private readonly key: string,
    private readonly seed: string,
  ) {}

  /** Puts back what was kept, when it is of the same seed; gives its tokens. */
  async revive({ restore }: Pick<Control, 'restore'>): Promise<Kept['tokens'] | null> {
    const text = this.storage.getItem(this.key);
    if (text === null) return null;
    try {
      const kept = JSON.parse(text) as Partial<Kept> | null;
      if (kept?.seed !== undefined && kept.seed !== this.seed) return null;
      await restore(kept?.snapshot as Snapshot);
      return kept?.tokens ?? {};
    } catch (error) {
      // Another version of the mock wrote it, or something else did.
      if (!(error instanceof SyntaxError || error instanceof ControlError)) throw error;
      console.warn(`The mock's state in sessionStorage cannot be read, so it begins anew. ${error.message}`);
      return null;
    }
  }

  forget(): void {
    this.storage.removeItem(this.key);
  }

  /** Keeps the state after each change (call the result then), and once more when the page goes away. */
  follow(control: Pick<Control, 'snapshot'>, tokens: () => Readonly<Record<string, string>>): () => void {
    const save = async (): Promise<void> => {
      this.#keep({ seed: this.seed, tokens: tokens(), snapshot: await control.snapshot() });
    };
    globalThis.addEventListener?.('pagehide', () => void save());
    return () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void save(), gather);
    };
  }

  #keep(kept: Kept): void {
    try {
      this.storage.setItem(this.key, JSON.stringify(kept));
    } catch (error) {
      if (this.#warned) return;
      this.#warned = true;
      console.warn(
        `The mock's state does not fit into sessionStorage (${(error as Error).message}): it will not survive a reload. Use a smaller seed or smaller images, or persist: 'none'.`,
      );
    }
  }
}
