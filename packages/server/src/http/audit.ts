/** A successful write. Contains ids and digests, but no secrets, names or e-mail addresses. */
export interface AuditEntry {
  readonly request_id: string;
  readonly operation: string;
  readonly path: string;
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
  /** Called before a write. @throws {StorageFailure} while entries cannot be stored: nothing is written then */
  check(): Promise<void>;
  /** Called after a write, before its response. Entries that cannot be stored wait for the next call. */
  record(entry: AuditEntry): Promise<void>;
}
