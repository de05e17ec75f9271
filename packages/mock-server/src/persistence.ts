import type { Control, Snapshot } from '@mkt/server';

/** What a tab keeps of a mock between two loads of the page. */
interface Kept {
  /** The seed that the data grew from: with another one it is worth nothing. */
  readonly seed: string;
  readonly tokens: Readonly<Record<string, string>>;
  readonly snapshot: Snapshot;
}

/** Long enough to gather the writes of one moment. Milliseconds. */
const gather = 50;

/** Keeps a mock's state in the tab's sessionStorage. */
export class SessionPersistence {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #warned = false;

  constructor(
    private readonly storage: Storage,
    private readonly key: string,
    private readonly seed: string,
  ) {}

  /** What was kept, when it is of the same seed. */
  load(): Kept | null {
    const text = this.storage.getItem(this.key);
    if (text === null) return null;
    try {
      const kept = JSON.parse(text) as Kept;
      return kept.seed === this.seed ? kept : null;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      console.warn("The mock's state in sessionStorage cannot be read: it begins anew.");
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
