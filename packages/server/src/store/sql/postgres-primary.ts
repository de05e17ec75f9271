import type pg from 'pg';
import { StoreUnavailable } from '../store.js';
import type { DatabaseAddress, Endpoint } from './postgres-address.js';
import { sqlState, storeError } from './postgres-connection.js';

/** Opens a connection. @throws the driver's error */
export type Dial = (endpoint: Endpoint) => Promise<pg.Client>;

/** Why no host can be used: each with the error of its last attempt. */
export class NoPrimary extends StoreUnavailable {
  constructor(readonly failures: readonly { readonly host: string; readonly error: unknown }[]) {
    const [only] = failures;
    const single = failures.length === 1 && only !== undefined ? storeError(only.error) : null;
    super(
      single instanceof Error
        ? single.message
        : `No host accepts writes: ${failures.map(({ host }) => host).join(', ')}.`,
      { cause: only?.error },
    );
  }
}

/** A host that responds, but only to reads. */
export class Standby extends Error {
  override readonly name = 'Standby';
  constructor() {
    super('it accepts no writes');
  }
}

/** Milliseconds between two searches while there is no host. */
const searchInterval = 250;

/** Searches the host that accepts writes, and says once when there is none and once when there is one again. */
export class Primary {
  #current: Endpoint | null = null;
  #searching: Promise<Endpoint> | null = null;
  #lostAt: number | null = null;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param moved is called when another endpoint is to be used */
  constructor(
    private readonly address: DatabaseAddress,
    private readonly dial: Dial,
    private readonly report: (message: string) => void,
    private readonly moved: (endpoint: Endpoint) => void,
  ) {}

  /** Whether the last search found nothing. */
  get isLost(): boolean {
    return this.#lostAt !== null;
  }

  get hasOtherHosts(): boolean {
    return this.address.hosts.length > 1;
  }

  /** Where the database is, as far as is known. @throws {NoPrimary} */
  async endpoint(): Promise<Endpoint> {
    return this.#current !== null && !this.isLost ? this.#current : this.search();
  }

  /** Looks at all hosts at once; a search that is running is shared. @throws {NoPrimary} */
  search(): Promise<Endpoint> {
    this.#searching ??= this.#search().finally(() => {
      this.#searching = null;
    });
    return this.#searching;
  }

  /** Searches in the background, after an error that may be the end of the database. */
  suspect(): void {
    if (!this.#closed) this.search().catch(() => undefined);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #search(): Promise<Endpoint> {
    try {
      const found = await this.#find();
      const before = this.#current;
      this.#current = found;
      const isElsewhere = before !== null && before.url !== found.url;
      if (isElsewhere && !this.#closed) this.moved(found);
      const at = this.hasOtherHosts ? `, at ${found.name}` : '';
      if (this.#lostAt !== null) {
        const seconds = ((performance.now() - this.#lostAt) / 1000).toFixed(1);
        this.#lostAt = null;
        this.report(`The database is back after ${seconds} s${at}.`);
      } else if (isElsewhere) this.report(`The database has moved from ${before.name} to ${found.name}.`);
      return found;
    } catch (error) {
      if (this.#closed) throw error;
      // Not at the start, which reports it itself.
      if (this.#current !== null && this.#lostAt === null) {
        this.#lostAt = performance.now();
        this.report(`The database is lost. ${(error as Error).message} Requests get 503 until it is back.`);
      }
      if (this.#lostAt !== null) {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.suspect(), searchInterval).unref();
      }
      throw error;
    }
  }

  async #find(): Promise<Endpoint> {
    const { hosts } = this.address;
    const errors = new Map<number, unknown>();
    let isFound = false;
    // While a host hangs, a standby among the others may be promoted.
    const tries = hosts.map(async (endpoints, at) => {
      for (;;) {
        try {
          const endpoint = await this.#usable(endpoints);
          isFound = true;
          return endpoint;
        } catch (error) {
          errors.set(at, error);
          if (isFound || this.#closed || errors.size === hosts.length) throw error;
        }
        await new Promise((resolve) => setTimeout(resolve, searchInterval));
      }
    });
    return Promise.any(tries).catch(() => {
      throw new NoPrimary(hosts.map(([endpoint], at) => ({ host: endpoint?.name ?? '', error: errors.get(at) })));
    });
  }

  /** @throws the error of the last way to connect */
  async #usable(endpoints: readonly Endpoint[]): Promise<Endpoint> {
    let lastError: unknown;
    for (const endpoint of endpoints) {
      try {
        await this.#check(endpoint);
        return endpoint;
      } catch (error) {
        lastError = error;
        if (!isAboutEncryption(causeOf(error))) break;
      }
    }
    throw lastError;
  }

  async #check(endpoint: Endpoint): Promise<void> {
    try {
      const client = await this.dial(endpoint);
      // Not awaited in the end: a host that hangs would not respond to that either.
      try {
        const query: pg.QueryConfig & { readonly query_timeout: number } = {
          text: 'show transaction_read_only',
          query_timeout: roleTimeout,
        };
        const isStandby = async () => (await client.query(query)).rows[0]?.transaction_read_only === 'on';
        if (this.address.needsWrites && (await isStandby())) throw new Standby();
      } finally {
        client.end().catch(() => undefined);
      }
    } catch (error) {
      // It is there, but all of its connections are in use.
      if (sqlState(causeOf(error)) !== '53300' || endpoint.url !== this.#current?.url) throw error;
    }
  }
}

/** Milliseconds until a host that does not say whether it accepts writes is given up. */
const roleTimeout = 2000;

export const causeOf = (error: unknown): unknown => (error instanceof StoreUnavailable ? error.cause : error);

/** Errors after which another `sslmode` may succeed: TLS is off there, or only one kind of connection is permitted. */
const isAboutEncryption = (error: unknown): boolean =>
  error instanceof Error &&
  (/SSL/.test(error.message) || ('code' in error && /^(28000|ERR_(SSL|TLS)|EPROTO)/.test(String(error.code))));
