import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomically } from '../../config/folders.js';

const HEADER = 'header';

/**
 * The rows that were pulled so far, a file each, so that memory use does not grow with them. A pull that was interrupted
 * leaves the folder, and the next one continues with it.
 */
export class Spool {
  readonly #folder: string;

  /**
   * @param folder It is readable by its owner only.
   * @param header What the rows depend on: a folder with another header is started again.
   */
  constructor(folder: string, header: object) {
    this.#folder = folder;
    const text = JSON.stringify(header);
    if (existsSync(this.#path(HEADER)) && readFileSync(this.#path(HEADER), 'utf8') === text) return;
    this.remove();
    mkdirSync(folder, { mode: 0o700 });
    writeAtomically(this.#path(HEADER), text);
  }

  #path = (key: string): string => join(this.#folder, `${key}.json`);

  has = (key: string): boolean => existsSync(this.#path(key));

  /** @param key A valid file name. */
  add(key: string, row: object): void {
    writeAtomically(this.#path(key), JSON.stringify(row));
  }

  get = (key: string): unknown => JSON.parse(readFileSync(this.#path(key), 'utf8'));

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
