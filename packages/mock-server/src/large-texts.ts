/** Milliseconds after which the text of a tab that was closed is deleted. */
const maxAge = 7 * 24 * 3_600_000;
const storeName = 'texts';

const resultOf = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** A name for the text of a tab. Names sort by time, so that old texts can be found. */
export const newName = (): string => `${Date.now()}-${Math.random()}`;

/** Texts that are too large for sessionStorage, in the IndexedDB of the page's origin. */
export class LargeTexts {
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
