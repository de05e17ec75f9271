import type { Endpoint } from '@mkt/sdk/contract';
import { inPieces, shortPauses } from '../pieces.js';
import type { Caller } from '../rules/context.js';
import type { Parameters } from './authorizer.js';
import type { Exchange } from './exchange.js';
import { loggedPath } from './masked.js';

/** A successful write. Contains ids and digests, but no secrets, names or e-mail addresses. */
export interface AuditEntry {
  readonly request_id: string;
  readonly operation: string;
  readonly path: string;
  /** 400 and more takes back the entry of the same request before it: nothing was changed. */
  readonly status: number;
  /** Null for the control API, whose token belongs to no user. */
  readonly user_id: string | null;
  readonly token_id: number | string | null;
  readonly ids: Readonly<Record<string, string | number>>;
  /** SHA-256 in hex of the JSON that GET shows, before and after; null if there is no representation. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Where successful writes are recorded. */
export interface Audit {
  /** For `/readyz`. @throws {StorageFailure} while entries cannot be stored */
  check(): Promise<void>;
  request(): AuditedRequest;
}

/** Records the changes of one request, so that none is stored without its entry. */
export class AuditedRequest {
  #recorded: readonly AuditEntry[] = [];

  /** @param write stores entries on disk @throws {StorageFailure} */
  constructor(private readonly write: (entries: readonly AuditEntry[]) => Promise<void>) {}

  /** Called last in each attempt to store the changes. @throws {StorageFailure} if nothing may be changed */
  async record(entries: readonly AuditEntry[]): Promise<void> {
    await this.takeBack();
    if (entries.length === 0) return;
    await this.write(entries);
    this.#recorded = entries;
  }

  /** The same for changes by an endpoint, each with the row that it created, if it did. */
  async recordChanges(
    { operation, status }: Endpoint,
    exchange: Exchange,
    { userId, tokenId }: Caller,
    changes: readonly (Pick<AuditEntry, 'before' | 'after'> & {
      readonly parameters: Parameters;
      readonly row: object;
    })[],
  ): Promise<void> {
    const request = { request_id: exchange.requestId, operation, path: loggedPath(exchange), status };
    const common = { ...request, user_id: userId, token_id: tokenId ?? null };
    const entriesOf = (piece: typeof changes) =>
      piece.map(({ parameters, row, before, after }) => ({ ...common, ids: idsOf(parameters, row), before, after }));
    const pieces = await inPieces(changes, entriesOf, undefined, shortPauses());
    return this.record(pieces.flat());
  }

  /** Called when the changes were not stored, after all. @throws {StorageFailure} */
  async takeBack(status = 503): Promise<void> {
    const entries = this.#recorded;
    this.#recorded = [];
    if (entries.length > 0) await this.write(entries.map((entry) => ({ ...entry, status })));
  }
}

/** The ids in the path, and the one of a new resource. */
function idsOf(parameters: Parameters, row: object): Readonly<Record<string, string | number>> {
  const { id } = row as { readonly id?: string | number };
  const ids = Object.entries(parameters).map(([name, text]) => [name, /^\d{1,15}$/.test(text) ? Number(text) : text]);
  return { ...Object.fromEntries(ids), ...(id !== undefined && { id }) };
}
