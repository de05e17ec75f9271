/** Headers as the SDK and `--debug` read them. Several of one name are joined, as the runtime's own class joins them. */
class PlainHeaders {
  readonly #values = new Map<string, string>();

  /** @param raw - names and values in turns, as node:http gives them. */
  constructor(raw: readonly string[]) {
    for (let index = 0; index + 1 < raw.length; index += 2) {
      const name = (raw[index] ?? '').toLowerCase();
      const value = raw[index + 1] ?? '';
      this.#values.set(name, this.has(name) ? `${this.get(name)}, ${value}` : value);
    }
  }

  get = (name: string): string | null => this.#values.get(name.toLowerCase()) ?? null;
  has = (name: string): boolean => this.#values.has(name.toLowerCase());
  forEach = (visit: (value: string, name: string) => void): void => this.#values.forEach(visit);
  [Symbol.iterator] = (): Iterator<[string, string]> => this.#values[Symbol.iterator]();
}

/**
 * An answer with what the SDK reads of one. On Node 20 the first use of the runtime's `Response` or `Headers` takes
 * 20 ms, since it loads all web classes.
 */
export class PlainResponse {
  readonly status: number;
  readonly headers: PlainHeaders;
  readonly url = '';
  readonly type = 'default';
  readonly #body: Buffer;

  constructor(status: number, rawHeaders: readonly string[], body: Buffer) {
    this.status = status;
    this.headers = new PlainHeaders(rawHeaders);
    this.#body = body;
  }

  text = async (): Promise<string> => new TextDecoder().decode(this.#body);
}
