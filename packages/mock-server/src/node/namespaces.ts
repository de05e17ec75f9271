import { pathIn } from '@mkt/server/extend';
import type { Control } from '../control/control.js';
import { ControlError } from '../control/errors.js';

export type Fetch = (request: Request, bindings?: object) => Promise<Response>;

/** A marketplace with its own data, clock, faults and request log. */
export interface Namespace {
  /** Serves its API, pages and control API. */
  readonly fetch: Fetch;
  readonly control: Control;
}

const prefix = '/__mkt/namespaces/';
const maxNamespaces = 32;

/** The namespaces of a server, which test workers that run in parallel use. */
export class Namespaces {
  readonly #opened = new Map<string, Promise<Namespace>>();

  constructor(private readonly create: (baseUrl: string) => Promise<Namespace>) {}

  /** Creates a namespace, unless it exists. Returns its base URL. @throws {ControlError} if there are too many */
  async open(name: string, serverUrl: string): Promise<{ readonly url: string }> {
    const url = serverUrl + prefix + name;
    if (!this.#opened.has(name)) {
      if (this.#opened.size === maxNamespaces)
        throw new ControlError(`There are ${maxNamespaces} namespaces already. Close those that you do not need.`);
      const opening = this.create(url);
      this.#opened.set(name, opening);
      opening.catch(() => this.#opened.delete(name));
    }
    await this.#opened.get(name);
    return { url };
  }

  /** Removes a namespace with its data, and ends its hanging requests. Returns whether it existed. */
  async close(name: string): Promise<boolean> {
    const namespace = await this.#opened.get(name);
    namespace?.control.faults.clear();
    return this.#opened.delete(name);
  }

  list(): readonly string[] {
    return [...this.#opened.keys()];
  }

  /** Finds the namespace of a request, and the request inside it. The namespace is null if it does not exist. */
  async find(request: Request): Promise<{ name: string; inside: Request; namespace: Namespace | null } | null> {
    const path = pathIn(request.url);
    if (!path.startsWith(prefix)) return null;
    const name = path.slice(prefix.length).split('/', 1)[0] as string;
    const { origin, search } = new URL(request.url);
    const { method, headers, body, signal } = request;
    const url = `${origin}${path.slice(prefix.length + name.length) || '/'}${search}`;
    const init: RequestInit & { duplex: 'half' } = { method, headers, body, signal, duplex: 'half' };
    return { name, inside: new Request(url, init), namespace: (await this.#opened.get(name)) ?? null };
  }
}
