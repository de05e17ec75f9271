import type { Control } from './control/control.js';
import type { Snapshot } from './control/inputs.js';

/** The state of a mock between two loads of a page. */
interface SavedState {
  /** Saved data of another seed is not used. */
  readonly seed: string;
  readonly tokens: Readonly<Record<string, string>>;
  readonly snapshot: Snapshot;
  /** The name of the state in IndexedDB, if it did not fit into sessionStorage: then only this is there. */
  readonly indexedDb?: string;
}

/** Milliseconds to wait for further changes before saving. */
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

/** Saves the state of a mock in the tab's sessionStorage, and one that is too large for it in IndexedDB. */
export class SessionPersistence {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #warned = false;
  readonly #large = new LargeTexts();
  /** The name of this tab's text in IndexedDB, if it has one. */
  #largeName: string | undefined;
  #saved: Promise<unknown> = Promise.resolve();

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
      const saved = await this.#read(JSON.parse(text) as Partial<SavedState> | null);
      if (saved?.seed !== undefined && saved.seed !== this.seed) return null;
      await control.restore(saved?.snapshot as Snapshot);
      return saved?.tokens ?? {};
    } catch (error) {
      // Written by another version of the mock or by other code. Importing ControlError would split the first chunk.
      const isExpected =
        error instanceof SyntaxError || error instanceof DOMException || (error as Error).name === 'ControlError';
      if (!isExpected) throw error;
      console.warn(
        `The mock's state in the browser's storage cannot be read, so the mock starts with its seed. ${(error as Error).message}`,
      );
      return null;
    }
  }

  async #read(saved: Partial<SavedState> | null): Promise<Partial<SavedState> | null> {
    if (saved?.indexedDb === undefined) return saved;
    const isOwn = await this.#large.reserve(saved.indexedDb);
    if (isOwn) this.#largeName = saved.indexedDb;
    const text = await this.#large.read(saved.indexedDb);
    if (text === undefined) throw new SyntaxError('It is not in IndexedDB any more.');
    if (!isOwn) await this.#writeLarge(text);
    return JSON.parse(text) as SavedState;
  }

  async clear(): Promise<void> {
    clearTimeout(this.#timer);
    this.storage.removeItem(this.key);
    const name = this.#largeName;
    this.#largeName = undefined;
    // What cannot be deleted is not found any more.
    if (name !== undefined) await this.#large.delete(name).catch(() => undefined);
  }

  /**
   * Saves the state soon after each change, and when the page is left.
   * @returns a function that saves it at once; false if it does not fit
   */
  start(
    control: Pick<Control, 'snapshot'>,
    onChange: (listener: () => void) => void,
    tokens: () => Readonly<Record<string, string>>,
  ): () => Promise<boolean> {
    const write = async (): Promise<boolean> =>
      this.#write({ seed: this.seed, tokens: tokens(), snapshot: await control.snapshot() });
    // One after the other: an older state must not replace a newer one.
    const save = (): Promise<boolean> => {
      const saved = this.#saved.then(write);
      this.#saved = saved.catch(() => undefined);
      return saved;
    };
    // Without waiting for a write that runs: the page may be gone before it ends. IndexedDB keeps their order.
    globalThis.addEventListener?.('pagehide', () => void write());
    onChange(() => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void save(), saveDelay);
    });
    return save;
  }

  async #write(state: SavedState): Promise<boolean> {
    const text = JSON.stringify(state);
    try {
      this.storage.setItem(this.key, text);
    } catch {
      return this.#writeLarge(text);
    }
    const name = this.#largeName;
    this.#largeName = undefined;
    if (name !== undefined) await this.#large.delete(name).catch(() => undefined);
    return true;
  }

  async #writeLarge(text: string): Promise<boolean> {
    try {
      if (this.#largeName === undefined) {
        this.#largeName = newName();
        void this.#large.reserve(this.#largeName);
      }
      this.storage.setItem(this.key, JSON.stringify({ indexedDb: this.#largeName }));
      await this.#large.write(this.#largeName, text);
      return true;
    } catch (error) {
      // Older data would be restored.
      await this.clear();
      if (this.#warned) return false;
      this.#warned = true;
      console.warn(
        `The mock's state does not fit into the browser's storage (${(error as Error).message}), so it will not survive a reload. Use a smaller seed or smaller images, or persist: 'none'.`,
      );
      return false;
    }
  }
}

/** Milliseconds after which the text of a tab that was closed is deleted. */
const maxAge = 7 * 24 * 3_600_000;
const storeName = 'texts';

const resultOf = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** A name for the text of a tab. Names sort by time, so that old texts can be found. */
const newName = (): string => `${Date.now()}-${Math.random()}`;

/** Texts that are too large for sessionStorage, in the IndexedDB of the page's origin. */
class LargeTexts {
  #opened: Promise<IDBDatabase> | undefined;

  async #store(): Promise<IDBObjectStore> {
    if (!this.#opened) {
      if (!globalThis.indexedDB) throw new Error('There is no IndexedDB.');
      const opening = globalThis.indexedDB.open('mkt-mock', 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore(storeName);
      this.#opened = resultOf(opening);
    }
    return (await this.#opened).transaction(storeName, 'readwrite', { durability: 'relaxed' }).objectStore(storeName);
  }

  /**
   * Reserves a name for as long as the page is open. False if another page has it: that of a tab that was duplicated, with
   * its sessionStorage. Where locks are missing, as over plain http, that is not noticed.
   */
  reserve(name: string): Promise<boolean> {
    const locks = (globalThis.navigator as Partial<Navigator> | undefined)?.locks;
    if (!locks) return Promise.resolve(true);
    return new Promise((resolve) => {
      void locks.request(`mkt-mock ${name}`, { ifAvailable: true }, (lock) => {
        resolve(lock !== null);
        return lock && new Promise(() => undefined);
      });
    });
  }

  async read(name: string): Promise<string | undefined> {
    return resultOf((await this.#store()).get(name));
  }

  async write(name: string, text: string): Promise<void> {
    const store = await this.#store();
    store.delete(IDBKeyRange.upperBound(`${Date.now() - maxAge}`));
    const written = resultOf(store.put(text, name));
    // The page may be left at any time: without this the browser would wait for the result first.
    store.transaction.commit();
    await written;
  }

  async delete(name: string): Promise<void> {
    await resultOf((await this.#store()).delete(name));
  }
}
