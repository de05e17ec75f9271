import { closeSync, fstatSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { isObject, parseJson } from '../../text/json.js';

interface Place {
  readonly offset: number;
  readonly length: number;
}

const chunkSize = 1 << 20;

/**
 * The rows that were pulled so far, one line of JSON each. Only their places are in memory. A pull that was interrupted
 * leaves the file, and the next one continues with it.
 */
export class Spool {
  readonly #path: string;
  readonly #file: number;
  readonly #places = new Map<string, Place>();
  #end = 0;

  /**
   * @param header What the rows depend on, in one line: a file with another header is started again.
   * @param path The file. It is readable by its owner only.
   */
  constructor(path: string, header: string) {
    this.#path = path;
    this.#file = openSync(path, 'a+', 0o600);
    if (this.#readLines(header)) ftruncateSync(this.#file, this.#end);
    else {
      this.#places.clear();
      ftruncateSync(this.#file, 0);
      this.#end = 0;
      this.#append(header);
    }
  }

  /** Finds the places of all complete lines. Returns whether the first one is the header. */
  #readLines(header: string): boolean {
    const { size } = fstatSync(this.#file);
    let rest = Buffer.alloc(0);
    for (let at = 0; at < size; ) {
      const chunk = Buffer.alloc(Math.min(chunkSize, size - at));
      at += readSync(this.#file, chunk, 0, chunk.length, at);
      rest = Buffer.concat([rest, chunk]);
      for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
        const line = rest.subarray(0, end).toString('utf8');
        const place = { offset: this.#end, length: end };
        this.#end += end + 1;
        rest = rest.subarray(end + 1);
        if (place.offset === 0) {
          if (line !== header) return false;
          continue;
        }
        const key = /^\["((?:[^"\\]|\\.)*)",/.exec(line)?.[1];
        if (key !== undefined) this.#places.set(key, place);
      }
    }
    return this.#end > 0;
  }

  #append(line: string): Place {
    const bytes = Buffer.from(`${line}\n`);
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#file, bytes, done);
    const place = { offset: this.#end, length: bytes.length - 1 };
    this.#end += bytes.length;
    return place;
  }

  has(key: string): boolean {
    return this.#places.has(key);
  }

  /** @param key Without quotes and backslashes. */
  add(key: string, row: object): void {
    this.#places.set(key, this.#append(JSON.stringify([key, row])));
  }

  get(key: string): object | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    const bytes = Buffer.alloc(place.length);
    readSync(this.#file, bytes, 0, place.length, place.offset);
    const line = parseJson(bytes.toString('utf8'));
    return Array.isArray(line) && isObject(line[1]) ? line[1] : undefined;
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Closes and deletes the file. */
  remove(): void {
    this.close();
    rmSync(this.#path, { force: true });
  }
}
