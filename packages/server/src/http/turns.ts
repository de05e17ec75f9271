/** Who sends a request. */
export interface Caller {
  /** Null for a client that is not known yet. */
  readonly userId: string | null;
  readonly connection?: Connection | undefined;
}

export interface Connection {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/** A user, or the address of a client that is not known yet. */
export const payerOf = ({ userId, connection }: Caller): string => userId ?? `address ${connection?.remoteAddress}`;

/** The headers by which a client is known. */
export interface Credentials {
  readonly authorization?: string | undefined;
  readonly cookie?: string | undefined;
}

/** How the requests of different callers take turns. */
export interface CallerTurns {
  /** Counts the requests with the same credentials for this user, whichever of its tokens it uses. */
  identified(headers: Credentials, userId: string): void;
  /**
   * Waits until a request may start, which calls `end` later; undefined if there are no others.
   * @param isGone whether its client has disconnected: then the turn is for the next request
   */
  start(caller: Caller, isGone?: () => boolean): Promise<void> | undefined;
  /**
   * Waits until a request may go on; undefined if there are no others. It never waits for others to end.
   * @param isUrgent inside a transaction, for which others wait: its caller pauses afterwards
   */
  resume(caller: Caller, isUrgent?: boolean): Promise<void> | undefined;
  end(caller: Caller): void;
  /**
   * Loads images: those of a caller one after the other, and slowly while there are others. An image needs no token, but
   * browsers send their cookies.
   * @param load returns how many bytes it has read from the store
   */
  loading(headers: Credentials, connection: Connection | undefined, load: () => Promise<number>): Promise<void>;
}
